import Disk
import Model

/// Earlier versions of receipts: a mark replaces a receipt, and what it was before stays, numbered from 1.
extension TestArchive {
    /// A receipt as it was once, and its number.
    package struct FormerReceipt: Sendable {
        package var number: Int
        package var receipt: Receipt
    }

    /// The versions of a test's receipt before the current one, the oldest first.
    package func history(of id: TestID) throws -> [FormerReceipt] {
        let current = try storedReceipt(of: id)?.bytes
        return try files.formers(of: id).compactMap { number, bytes in
            if bytes == current { return nil }
            do throws(DocumentFault) {
                return FormerReceipt(number: number, receipt: try DocumentCoding.decode(Receipt.self, from: bytes))
            } catch {
                throw HostError.damaged(
                    files.place(of: HostLayout.formerReceipt(number, of: id)), reason: error.description)
            }
        }
    }

    /// Puts a receipt in the place of the stored version, which is kept as a former one, durably, before that.
    ///
    /// - Returns: `false` where another writer was quicker.
    func replace(_ version: FileVersion?, by receipt: Receipt) throws -> Bool {
        if let version { try files.keepFormer(version.bytes, of: receipt.test) }
        return try write(receipt, after: version) != nil
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
