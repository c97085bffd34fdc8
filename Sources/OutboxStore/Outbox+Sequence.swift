import Disk
import Model
import SystemPackage

/// The numbers of what is made on this device: the order in which it is sent.
extension Outbox {
    struct SequenceContent: Codable {
        var bootId: String
        var deviceId: String
        var last: Int
    }

    /// The next number of this device. The file is not synced; after a restart the number is found in the tests.
    ///
    /// - Parameter count: so many in a row are taken; this is the first of them.
    func nextSequence(deviceID: String, count: Int = 1) throws -> Int {
        let file = openSequence()
        defer { if let file { fileSystem.closeQuietly(file) } }
        let known = file.flatMap { knownSequence(in: $0, deviceID: deviceID) }
        // A number that somebody wrote by hand may be the greatest there is.
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
            // No reason to lose an answer: without the file the number is found in the tests the next time, and should
            // the former one stay, two tests have the same number, which harms nothing.
            do throws(FileError) { try fileSystem.removeIfPresent(OutboxLayout.sequence) } catch {}
        }
        return former + 1
    }

    private struct KnownSequence {
        var last: Int
        var bytes: [UInt8]
        var links: UInt64

        /// Whether the file may be written over, which spares the disk a new file for each test.
        ///
        /// Only where nothing but digits change, from the last that is the same on: a writer who was killed in between
        /// leaves a number that is not below the former one, and none that he took has a test yet. A reader finds a whole
        /// line at any moment. Not where the file has another name, in a copy that was made of links.
        func mayBecome(_ content: [UInt8]) -> Bool {
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
            return links == 1 && bytes.count == content.count
                && zip(bytes, content).allSatisfy { $0 == $1 || digits.contains($0) && digits.contains($1) }
        }
    }

    /// To be read and written over; `nil` where it is not there, or cannot be.
    private func openSequence() -> OpenFile? {
        // To open it would make it, empty, for others to see.
        guard (try? fileSystem.status(at: OutboxLayout.sequence)) != nil else { return nil }
        return try? fileSystem.continuing { () throws(FileError) in
            try fileSystem.open(OutboxLayout.sequence, .update)
        }
    }

    /// What the file says, where that is of this boot and this device.
    private func knownSequence(in file: OpenFile, deviceID: String) -> KnownSequence? {
        guard !bootIdentity.isEmpty, let status = try? fileSystem.status(file), status.kind == .regular,
            status.sizeBytes <= 4096,
            let bytes = try? fileSystem.readPiece(file, at: 0, count: Int(status.sizeBytes))
        else { return nil }
        if let last = lastWritten(in: bytes, deviceID: deviceID) {
            return KnownSequence(last: last, bytes: bytes, links: status.links)
        }
        guard let content = try? DocumentCoding.decode(SequenceContent.self, from: bytes),
            content.bootId == bootIdentity, content.deviceId == deviceID
        else { return nil }
        return KnownSequence(last: content.last, bytes: bytes, links: status.links)
    }

    /// What `line` begins with, up to the number: a JSON coder would take a tenth of what a durable test does. `nil` where
    /// something is to be escaped.
    private func beginning(deviceID: String) -> [UInt8]? {
        guard DocumentCoding.isPlain(bootIdentity), DocumentCoding.isPlain(deviceID) else { return nil }
        return Array("{\"bootId\":\"\(bootIdentity)\",\"deviceId\":\"\(deviceID)\",\"last\":".utf8)
    }

    private func line(deviceID: String, last: Int) throws -> [UInt8] {
        if let beginning = beginning(deviceID: deviceID) { return beginning + Array("\(last)}\n".utf8) }
        return try DocumentCoding.encodeLine(SequenceContent(bootId: bootIdentity, deviceId: deviceID, last: last))
    }

    /// The number of a file that we wrote ourselves, byte for byte; `nil` for any other, which a JSON reader looks at.
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
        for item in try scan().items {
            // A file that cannot be read has no number.
            let path = item.path
            guard let bytes = try? fileSystem.readFile(path, maximumBytes: Self.maximumItemBytes).bytes,
                let numbered = try? DocumentCoding.decode(Numbered.self, from: bytes), numbered.deviceId == deviceID
            else { continue }
            greatest = max(greatest, numbered.sequence)
        }
        return greatest
    }
}
