import Disk
import Model

/// Earlier versions of receipts: a mark replaces a receipt, and what it was before stays on the disk, numbered from 1.
///
/// The former version is durable before the receipt is replaced. A crash in between leaves a copy of the current one,
/// which the next mark recognises.
extension TestArchive {
    /// A receipt as it was once, and its number.
    package struct FormerReceipt: Sendable {
        package var number: Int
        package var receipt: Receipt
    }

    /// The versions of a test's receipt before the current one, the oldest first.
    package func history(of id: TestID) throws -> [FormerReceipt] {
        let current = try storedReceipt(of: id)?.bytes
        return try formerNumbers(of: id).compactMap { number in
            let path = HostLayout.formerReceipt(number, of: id)
            guard let (bytes, _) = try fileSystem.readFileIfPresent(path, maximumBytes: 16 << 20) else { return nil }
            if bytes == current { return nil }
            do throws(DocumentFault) {
                return FormerReceipt(number: number, receipt: try DocumentCoding.decode(Receipt.self, from: bytes))
            } catch {
                throw HostError.damaged(fileSystem.root.pushing(path), reason: error.description)
            }
        }
    }

    /// Keeps the current receipt as a former version, durably, before another one takes its place.
    func keepFormerReceipt(of id: TestID) throws {
        guard let (bytes, _) = try storedReceipt(of: id) else { return }
        let last = try formerNumbers(of: id).last ?? 0
        if last > 0 {
            let path = HostLayout.formerReceipt(last, of: id)
            if try fileSystem.readFileIfPresent(path, maximumBytes: 16 << 20)?.bytes == bytes { return }
        }
        try fileSystem.makeDurableFolder(HostLayout.formerReceipts(of: id))
        _ = try fileSystem.writeDurablyIfAbsent(
            bytes, to: HostLayout.formerReceipt(last + 1, of: id), temporaryFolder: HostLayout.temporary)
    }

    private func formerNumbers(of id: TestID) throws(FileError) -> [Int] {
        do throws(FileError) {
            return try fileSystem.list(HostLayout.formerReceipts(of: id)).compactMap {
                HostLayout.receiptNumber(ofFile: $0.name)
            }.sorted()
        } catch {
            if error.isMissing { return [] }
            throw error
        }
    }

    /// What a form was made of: a mark that is based on another receipt than the current one replaces nothing.
    ///
    /// - Parameter question: what is said of this question alone: marks of other questions do not get in its way.
    package static func state(of receipt: Receipt, question: String? = nil) throws -> Digest {
        guard let question else { return Digest(sha256Of: try DocumentCoding.encode(receipt)) }
        let verdicts = receipt.evaluation?.questions.filter { $0.questionId == question } ?? []
        return Digest(sha256Of: try DocumentCoding.encode(verdicts))
    }

    /// A test and its receipt, with its version, for those who may read all tests.
    ///
    /// - Returns: `nil` when there is no such test.
    package func handedIn(
        _ id: TestID
    ) throws -> (record: TestRecord, receipt: Receipt, version: PublishedQuestionnaire?)? {
        guard let (record, receipt) = try stored(id) else { return nil }
        return (record, receipt, try version(of: record))
    }
}
