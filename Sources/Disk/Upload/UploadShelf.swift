import Model
import Synchronization
import SystemPackage

/// Uploads that go on where they broke off: what came of them, in a folder.
///
/// The order of writes: the bytes, synced, then how many of them there are. Whoever is killed in between has
/// acknowledged nothing: what is asked again finds what is there. At the end the digest is compared; to give the bytes
/// their place is the owner's matter.
///
/// All calls that are not asynchronous block on the disk: run them with `offload`.
public final class UploadShelf: Sendable {
    /// An upload that nobody went on with for so long is removed at the start.
    public static let longestPauseSeconds = 30 * 86_400.0
    /// After so many bytes they are synced and counted: as much as a crash may cost.
    static let syncBytes: Int64 = 4 << 20
    /// As much as is gathered before it goes to the disk.
    static let pieceBytes = 256 << 10
    /// What stays free on the disk for tests.
    static let spareBytes: Int64 = 16 << 20

    let fileSystem: any FileSystem
    let layout: UploadLayout
    private let temporary: FilePath
    private let clock: any StoreClock
    /// What one upload may have.
    public let maximumBytes: Int64
    private let slots = Mutex<[TestID: UploadSlot]>([:])

    /// - Parameters:
    ///   - folder: for the uploads alone.
    ///   - temporaryFolder: for files that are being written; on the same file system.
    public init(
        _ fileSystem: any FileSystem, folder: FilePath, temporaryFolder: FilePath, clock: any StoreClock,
        maximumBytes: Int64
    ) {
        self.fileSystem = fileSystem
        layout = UploadLayout(folder: folder)
        temporary = temporaryFolder
        self.clock = clock
        self.maximumBytes = maximumBytes
    }

    /// Removes what is of no use any more: uploads that ended, and those that were given up.
    public func recover(isEnded: (TestID) throws -> Bool) throws {
        for entry in try fileSystem.list(layout.folder) where entry.kind == .regular {
            guard let id = UploadLayout.id(ofFile: entry.name) else { continue }
            if let record = try? record(of: id), try !isEnded(id),
                let status = try fileSystem.status(at: layout.record(id)),
                clock.now.seconds(since: status.modified) < Self.longestPauseSeconds
            {
                // Behind what was counted may be anything.
                try? cut(id, to: record.offset)
                continue
            }
            try forget(id)
        }
    }

    private func cut(_ id: TestID, to offset: Int64) throws(FileError) {
        let file = try fileSystem.open(layout.bytes(id), .update)
        defer { fileSystem.closeQuietly(file) }
        try fileSystem.continuing { () throws(FileError) in try fileSystem.resize(file, to: offset) }
    }

    private func forget(_ id: TestID) throws(FileError) {
        // The record first: bytes without one are nothing.
        try fileSystem.removeIfPresent(layout.record(id))
        try fileSystem.removeIfPresent(layout.bytes(id))
    }

    /// The upload of an attachment: the one that was begun, or a new one.
    ///
    /// - Throws: `UploadFault.tooLong`, `FileError`.
    public func begin(_ attachment: Attachment, of owner: MediaOwner) throws -> UploadRecord {
        if let known = try record(of: attachment.id), known.digest == attachment.digest, known.owner == owner,
            known.sizeBytes == attachment.sizeBytes
        {
            return try pause(known.id) ?? known
        }
        try checkRoom(for: attachment.sizeBytes)
        let record = UploadRecord(
            id: attachment.id, owner: owner, digest: attachment.digest, sizeBytes: attachment.sizeBytes, offset: 0,
            dateBegun: clock.now)
        try cut(record.id, to: 0)
        try save(record)
        return record
    }

    /// - Throws: `UploadFault.tooLong`, `FileError` where so much would take the last room on the disk.
    public func checkRoom(for sizeBytes: Int64) throws {
        guard sizeBytes <= maximumBytes else {
            throw UploadFault.tooLong(sizeBytes: sizeBytes, maximumBytes: maximumBytes)
        }
        guard try fileSystem.freeBytes() > sizeBytes + Self.spareBytes else {
            throw FileError("write", layout.folder, .noSpace)
        }
    }

    /// The upload with this id, with all counted that has arrived; whoever was writing to it no longer does.
    ///
    /// - Returns: `nil` when there is none.
    public func pause(_ id: TestID) throws -> UploadRecord? {
        try slot(id).takeOver { state in
            guard var record = try record(of: id) else { return nil }
            if let written = state.writtenBytes, written > record.offset {
                try fileSystem.makeDurable(file: layout.bytes(id))
                record.offset = written
                try save(record)
            }
            state.writtenBytes = nil
            return record
        }
    }

    /// Gives an upload up.
    ///
    /// - Returns: whether there was one.
    public func cancel(_ id: TestID) throws -> Bool {
        try slot(id).takeOver { state in
            state.writtenBytes = nil
            guard try record(of: id) != nil else { return false }
            try forget(id)
            try fileSystem.makeDurable(folder: layout.folder)
            return true
        }
    }

    func save(_ record: UploadRecord) throws {
        try fileSystem.writeDurably(
            try DocumentCoding.encode(record), to: layout.record(record.id), temporaryFolder: temporary)
    }

    /// Where the bytes of a whole upload lie. Whoever moves them away calls `end` afterwards.
    ///
    /// - Throws: `UploadFault.digestMismatch` when they are not those of the digest: then it begins anew.
    public func checkedBytes(of record: UploadRecord) throws -> FilePath {
        let bytes = layout.bytes(record.id)
        guard try OpenContent(bytes, in: fileSystem).digest() == record.digest else {
            var anew = record
            anew.offset = 0
            let empty = anew
            try slot(record.id).takeOver { state in
                state.writtenBytes = nil
                try save(empty)
            }
            throw UploadFault.digestMismatch
        }
        return bytes
    }

    /// Forgets an upload whose bytes have their place.
    public func end(_ id: TestID) throws {
        try forget(id)
        slots.withLock { $0[id] = nil }
    }

    private func record(of id: TestID) throws -> UploadRecord? {
        do {
            let (bytes, _) = try fileSystem.readFile(layout.record(id), maximumBytes: 64 << 10)
            var record = try DocumentCoding.decode(UploadRecord.self, from: bytes)
            guard record.id == id, (0...record.sizeBytes).contains(record.offset) else { return nil }
            // Its bytes were taken to their place, and who did it was killed before this was forgotten.
            if try fileSystem.status(at: layout.bytes(id))?.sizeBytes ?? 0 < record.offset { record.offset = 0 }
            return record
        } catch let error as FileError where error.isMissing {
            return nil
        } catch is DocumentFault {
            // Without it nothing is lost but what had arrived: the upload begins anew.
            return nil
        }
    }

    private func slot(_ id: TestID) -> UploadSlot {
        slots.withLock { slots in
            if let slot = slots[id] { return slot }
            let slot = UploadSlot()
            slots[id] = slot
            return slot
        }
    }

    // MARK: What comes

    /// One request's part of an upload.
    public struct Part: Sendable {
        /// Where it begins: where the upload stands, or 0 to begin anew.
        public var offset: Int64
        /// As announced; `nil` where it was not.
        public var length: Int64?
        /// Whether the upload is whole with it.
        public var isComplete: Bool

        public init(offset: Int64, length: Int64?, isComplete: Bool) {
            self.offset = offset
            self.length = length
            self.isComplete = isComplete
        }
    }

    /// Takes what comes of an upload, as it comes. When the connection breaks, what came stays.
    ///
    /// - Parameter next: gives the next piece; `nil` at the end.
    /// - Returns: how far the upload is then: on the disk, synced.
    /// - Throws: `UploadFault`, `FileError`, and what `next` throws.
    public func receive(
        _ id: TestID, _ part: Part, _ next: () async throws -> [UInt8]?
    ) async throws -> UploadRecord {
        let writer = try await offload { [self] in
            guard var record = try pause(id) else { throw UploadFault.unknown(id) }
            record.offset = part.offset
            return try UploadWriter(record, slot: slot(id), shelf: self)
        }
        // Closed here, and not whenever the last one lets go of it: whoever is told that it ended finds no file open.
        do {
            let record = try await receive(part, writer, next)
            try await offload { writer.close() }
            return record
        } catch {
            try await offload { writer.close() }
            throw error
        }
    }

    private func receive(
        _ part: Part, _ writer: UploadWriter, _ next: () async throws -> [UInt8]?
    ) async throws -> UploadRecord {
        if let length = part.length, length > writer.missingBytes {
            throw UploadFault.inconsistentLength(writer.sizeBytes)
        }
        let count: Int64
        do {
            count = try await receive(writer, next)
        } catch let fault as UploadFault {
            throw fault
        } catch {
            // The connection broke: what came stays.
            _ = try await offload { try writer.pause() }
            throw error
        }
        let record = try await offload { try writer.pause() }
        // A connection that breaks may look like the end of the body.
        if let length = part.length, count != length {
            throw UploadFault.incomplete(arrived: count, announced: length, offset: record.offset)
        }
        if part.isComplete, record.offset != record.sizeBytes {
            throw UploadFault.inconsistentLength(record.sizeBytes)
        }
        return record
    }

    /// - Returns: how many bytes came.
    private func receive(_ writer: UploadWriter, _ next: () async throws -> [UInt8]?) async throws -> Int64 {
        var gathered: [UInt8] = []
        var count: Int64 = 0
        let missing = writer.missingBytes
        do {
            while let bytes = try await next() {
                count += Int64(bytes.count)
                guard count <= missing else { throw UploadFault.inconsistentLength(writer.sizeBytes) }
                gathered += bytes
                if gathered.count >= Self.pieceBytes {
                    let piece = gathered
                    gathered.removeAll(keepingCapacity: true)
                    try await offload { try writer.write(piece) }
                }
            }
        } catch {
            let piece = gathered
            if !(error is UploadFault), !piece.isEmpty { try await offload { try writer.write(piece) } }
            throw error
        }
        let piece = gathered
        if !piece.isEmpty { try await offload { try writer.write(piece) } }
        return count
    }
}
