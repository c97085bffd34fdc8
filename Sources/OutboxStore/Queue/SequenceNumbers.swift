import Disk
import Model
import SystemPackage

/// The sequence numbers of items made on this device: the order of sending.
package struct SequenceNumbers: Sendable {
    let outbox: Outbox

    var fileSystem: any FileSystem { outbox.fileSystem }

    private struct Content: Codable {
        var bootId: String
        var deviceId: String
        var last: Int
    }

    /// The next number of this device. The file is not synced; after a restart the number is found in the tests.
    ///
    /// - Parameter count: so many consecutive numbers are taken; this returns the first.
    func next(deviceID: String, count: Int = 1) throws -> Int {
        let file = openSequence()
        defer { if let file { fileSystem.closeQuietly(file) } }
        let known = file.flatMap { knownSequence(in: $0, deviceID: deviceID) }
        // A number edited by hand may be the greatest possible.
        let former = min(try known?.last ?? greatestSequence(deviceID: deviceID), .max - count)
        let content = try line(deviceID: deviceID, last: former + count)
        do throws(FileError) {
            if let file, let known, known.mayBecome(content) {
                try fileSystem.writeAll(file, content)
            } else {
                try fileSystem.writeUnsynced(
                    content, to: OutboxLayout.sequence, temporaryFolder: OutboxLayout.temporary)
            }
        } catch {
            // No reason to lose an answer: without the file the number is derived from the tests the next time; if the
            // former one stays, two tests have the same number, which is harmless.
            do throws(FileError) { try fileSystem.removeIfPresent(OutboxLayout.sequence) } catch {}
        }
        return former + 1
    }

    private struct KnownSequence {
        var last: Int
        var bytes: [UInt8]
        var links: UInt64

        /// Whether the file may be overwritten, which avoids a new file for each test.
        ///
        /// Only if nothing but digits changes, from the last equal one on: a crash in between leaves a number that is
        /// not below the former one, and no test has a number of the crashed writer yet. A reader always finds a
        /// complete line. Not if the file has another name, in a copy made of links.
        func mayBecome(_ content: [UInt8]) -> Bool {
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
            return links == 1 && bytes.count == content.count
                && zip(bytes, content).allSatisfy { $0 == $1 || digits.contains($0) && digits.contains($1) }
        }
    }

    /// Opened for reading and overwriting; `nil` if it is missing or cannot be opened.
    private func openSequence() -> OpenFile? {
        // Opening would create it, empty, for others to see.
        guard (try? fileSystem.status(at: OutboxLayout.sequence)) != nil else { return nil }
        return try? fileSystem.continuing { () throws(FileError) in
            try fileSystem.open(OutboxLayout.sequence, .update)
        }
    }

    /// The content of the file, if it is from this boot and this device.
    private func knownSequence(in file: OpenFile, deviceID: String) -> KnownSequence? {
        guard !outbox.bootIdentity.isEmpty, let status = try? fileSystem.status(file), status.kind == .regular,
            status.sizeBytes <= 4096,
            let bytes = try? fileSystem.readPiece(file, at: 0, count: Int(status.sizeBytes))
        else { return nil }
        if let last = lastWritten(in: bytes, deviceID: deviceID) {
            return KnownSequence(last: last, bytes: bytes, links: status.links)
        }
        guard let content = try? DocumentCoding.decode(Content.self, from: bytes),
            content.bootId == outbox.bootIdentity, content.deviceId == deviceID
        else { return nil }
        return KnownSequence(last: content.last, bytes: bytes, links: status.links)
    }

    /// The start of `line`, up to the number: a JSON coder would take a tenth of the time of a durable test. `nil` if
    /// something needs escapes.
    private func beginning(deviceID: String) -> [UInt8]? {
        guard DocumentCoding.isPlain(outbox.bootIdentity), DocumentCoding.isPlain(deviceID) else { return nil }
        return Array("{\"bootId\":\"\(outbox.bootIdentity)\",\"deviceId\":\"\(deviceID)\",\"last\":".utf8)
    }

    private func line(deviceID: String, last: Int) throws -> [UInt8] {
        if let beginning = beginning(deviceID: deviceID) { return beginning + Array("\(last)}\n".utf8) }
        return try DocumentCoding.encodeLine(Content(bootId: outbox.bootIdentity, deviceId: deviceID, last: last))
    }

    /// The number of a file in exactly our form; `nil` for any other, which a JSON reader parses.
    private func lastWritten(in bytes: [UInt8], deviceID: String) -> Int? {
        guard let beginning = beginning(deviceID: deviceID), bytes.starts(with: beginning),
            bytes.suffix(2) == [UInt8(ascii: "}"), UInt8(ascii: "\n")]
        else { return nil }
        return DocumentCoding.number(bytes.dropFirst(beginning.count).dropLast(2)).map { Int($0) }
    }

    private struct Numbered: Decodable {
        var deviceId: String
        var sequence: Int
    }

    private func greatestSequence(deviceID: String) throws -> Int {
        var greatest = 0
        for item in try outbox.scan().items {
            // An unreadable file has no number.
            let path = item.path
            guard let bytes = try? fileSystem.readFile(path, maximumBytes: Outbox.maximumItemBytes).bytes,
                let numbered = try? DocumentCoding.decode(Numbered.self, from: bytes), numbered.deviceId == deviceID
            else { continue }
            greatest = max(greatest, numbered.sequence)
        }
        return greatest
    }

    /// Why the sequence cannot be read; `nil` if it can, or is missing. Copying tests from elsewhere may leave it
    /// behind the tests: the tests' ids distinguish duplicate numbers.
    package func fault() throws -> String? {
        do {
            let bytes = try fileSystem.readFile(OutboxLayout.sequence, maximumBytes: 4096).bytes
            _ = try DocumentCoding.decode(Content.self, from: bytes)
            return nil
        } catch let error as FileError {
            return error.isMissing ? nil : error.description
        } catch let fault as DocumentFault {
            return fault.description
        }
    }

    /// Forgets the sequence: it is derived from the tests the next time.
    package func forget() throws {
        guard let lock = try LockFile.acquire(OutboxLayout.editLock, in: fileSystem, wait: true) else { return }
        try withExtendedLifetime(lock) { try fileSystem.removeIfPresent(OutboxLayout.sequence) }
    }
}

extension Outbox {
    /// The numbers of this device's items.
    package var sequence: SequenceNumbers { SequenceNumbers(outbox: self) }
}
