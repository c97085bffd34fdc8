import Model
import Synchronization
import SystemPackage

/// Resumable uploads: stores their partial content in a folder.
///
/// Bytes are written and synced before their count. A crash in between has acknowledged nothing, and the next request
/// finds the stored offset. At the end the file is moved out of reach of connections that may still send, and its
/// digest is compared; moving it to its final place is the owner's task.
///
/// All synchronous calls block on the disk: run them with `offload`.
package final class UploadStore: Sendable {
    /// An upload without progress for this long is removed at the start.
    package static let longestPauseSeconds = 30 * 86_400.0
    /// After this many bytes they are synced and counted: the most that a crash can cost.
    static let syncBytes: Int64 = 4 << 20
    /// The bytes that are buffered before a write.
    static let pieceBytes = 256 << 10
    /// The disk space reserved for tests.
    static let spareBytes: Int64 = 16 << 20

    let fileSystem: any FileSystem
    let layout: UploadLayout
    private let temporary: FilePath
    private let clock: any StoreClock
    /// The most bytes of one upload.
    package let maximumBytes: Int64
    private let slots = Mutex<[TestID: UploadSlot]>([:])

    /// - Parameters:
    ///   - folder: used for uploads alone.
    ///   - temporaryFolder: for files that are being written; on the same file system.
    package init(
        _ fileSystem: any FileSystem, folder: FilePath, temporaryFolder: FilePath, clock: any StoreClock,
        maximumBytes: Int64
    ) {
        self.fileSystem = fileSystem
        layout = UploadLayout(folder: folder)
        temporary = temporaryFolder
        self.clock = clock
        self.maximumBytes = maximumBytes
    }

    /// Removes uploads that have ended or were abandoned.
    package func recover(isEnded: (TestID) throws -> Bool) throws {
        try recoverWholes()
        for entry in try fileSystem.list(layout.folder) where entry.kind == .regular {
            guard let id = UploadLayout.id(ofFile: entry.name) else { continue }
            if let record = try? record(of: id), try !isEnded(id),
                let status = try fileSystem.status(at: layout.record(id)),
                clock.now.seconds(since: status.modified) < Self.longestPauseSeconds
            {
                // Bytes after the counted ones are undefined.
                try? cut(id, to: record.offset)
                continue
            }
            try forget(id)
        }
    }

    /// The process was killed during the comparison or the move of a file: the upload continues with that file.
    private func recoverWholes() throws {
        for entry in try fileSystem.list(layout.folder) where entry.kind == .regular {
            guard let id = UploadLayout.id(ofWhole: entry.name) else { continue }
            let whole = layout.folder.appending(name: entry.name)
            if let record = try? storedRecord(of: id), record.offset == record.sizeBytes,
                try fileSystem.status(at: whole)?.sizeBytes == record.sizeBytes,
                try fileSystem.status(at: layout.bytes(id))?.sizeBytes ?? -1 < record.offset
            {
                try fileSystem.move(whole, to: layout.bytes(id), replacing: true)
            } else {
                try fileSystem.removeIfPresent(whole)
            }
        }
    }

    private func cut(_ id: TestID, to offset: Int64) throws(FileError) {
        let file = try fileSystem.open(layout.bytes(id), .update)
        defer { fileSystem.closeQuietly(file) }
        try fileSystem.continuing { () throws(FileError) in try fileSystem.resize(file, to: offset) }
    }

    private func forget(_ id: TestID) throws(FileError) {
        // The record first: bytes without one are ignored.
        try fileSystem.removeIfPresent(layout.record(id))
        try fileSystem.removeIfPresent(layout.bytes(id))
    }

    /// The upload of an attachment: the existing one, or a new one.
    ///
    /// - Throws: `UploadFault.tooLong`, `FileError`.
    package func begin(_ attachment: Attachment, of owner: MediaOwner) throws -> UploadRecord {
        try withSlot(attachment.id) { _, state in
            if let known = try counted(attachment.id, &state), known.digest == attachment.digest,
                known.owner == owner, known.sizeBytes == attachment.sizeBytes
            {
                return known
            }
            try checkRoom(for: attachment.sizeBytes)
            let record = UploadRecord(
                id: attachment.id, owner: owner, digest: attachment.digest, sizeBytes: attachment.sizeBytes, offset: 0,
                dateBegun: clock.now)
            state.writtenBytes = nil
            try cut(record.id, to: 0)
            try save(record)
            return record
        }
    }

    /// - Throws: `UploadFault.tooLong`, `FileError` if the size would fill the disk.
    package func checkRoom(for sizeBytes: Int64) throws {
        guard sizeBytes <= maximumBytes else {
            throw UploadFault.tooLong(sizeBytes: sizeBytes, maximumBytes: maximumBytes)
        }
        guard try fileSystem.freeBytes() > sizeBytes + Self.spareBytes else {
            throw FileError("write", layout.folder, .noSpace)
        }
    }

    /// The upload with this id, with all received bytes counted; its former writer is rejected from now on.
    ///
    /// - Returns: `nil` if there is none.
    package func pause(_ id: TestID) throws -> UploadRecord? {
        try withSlot(id) { _, state in
            let record = try counted(id, &state)
            if record == nil { state.isEnded = true }
            return record
        }
    }

    /// Takes an upload over, with all received bytes counted.
    func counted(_ id: TestID, _ state: inout UploadSlot.State) throws -> UploadRecord? {
        state.takeOver()
        guard var record = try record(of: id) else { return nil }
        if let written = state.writtenBytes, written > record.offset {
            try fileSystem.makeDurable(file: layout.bytes(id))
            record.offset = written
            try save(record)
        }
        state.writtenBytes = nil
        return record
    }

    /// Cancels an upload.
    ///
    /// - Returns: whether it existed.
    package func cancel(_ id: TestID) throws -> Bool {
        try withSlot(id) { _, state in
            state.takeOver()
            let isKnown = try record(of: id) != nil
            if isKnown {
                try forget(id)
                try fileSystem.makeDurable(folder: layout.folder)
            }
            state.isEnded = true
            return isKnown
        }
    }

    func save(_ record: UploadRecord) throws {
        try fileSystem.writeDurably(
            try DocumentCoding.encode(record), to: layout.record(record.id), temporaryFolder: temporary)
    }

    /// The checked bytes of a completed upload: in a file that no other code opens, truncates or writes. The caller
    /// moves it away and calls `end`, or calls `giveBack` if it cannot.
    ///
    /// - Parameter record: the result of `receive`.
    /// - Throws: `UploadFault.superseded` if another connection has taken the upload over since;
    ///   `UploadFault.digestMismatch` if the bytes do not have the expected digest: then the upload restarts.
    package func checkedBytes(of record: UploadRecord) throws -> FilePath {
        guard let (whole, writer, content) = try takeAway(record) else { throw UploadFault.superseded }
        let isRight: Bool
        do {
            isRight = try content.digest() == record.digest
        } catch {
            giveBack(whole, of: record.id)
            throw error
        }
        guard isRight else {
            var anew = record
            anew.offset = 0
            let empty = anew
            _ = try slots.withLock { $0[record.id] }?.use { state in
                state.wholes.removeAll { $0 == whole }
                // Another connection may have restarted it.
                if state.writer == writer { try save(empty) }
            }
            try fileSystem.removeIfPresent(whole)
            throw UploadFault.digestMismatch
        }
        return whole
    }

    private func takeAway(_ record: UploadRecord) throws -> (whole: FilePath, writer: Int, content: OpenContent)? {
        let taken = try slots.withLock { $0[record.id] }?.use { state in
            guard state.writer == record.writer else { return nil as (FilePath, Int, OpenContent)? }
            let content = try OpenContent(layout.bytes(record.id), in: fileSystem)
            state.takeOver()
            state.writtenBytes = nil
            let whole = layout.whole(record.id, state.writer)
            try fileSystem.move(layout.bytes(record.id), to: whole, replacing: false)
            state.wholes.append(whole)
            return (whole, state.writer, content)
        }
        return taken ?? nil
    }

    /// Restores the bytes of a completed upload, unless it was restarted; then they are removed.
    package func giveBack(_ whole: FilePath, of id: TestID) {
        // After a failure here, the next start finds them.
        _ = try? withSlot(id) { _, state in
            state.wholes.removeAll { $0 == whole }
            guard try storedRecord(of: id) != nil, try fileSystem.status(at: layout.bytes(id)) == nil else {
                return try fileSystem.removeIfPresent(whole)
            }
            try fileSystem.move(whole, to: layout.bytes(id), replacing: false)
        }
    }

    /// Forgets an upload whose bytes are in their final place; later bytes are rejected.
    package func end(_ id: TestID) throws {
        try withSlot(id) { _, state in
            state.takeOver()
            for whole in state.wholes { try fileSystem.removeIfPresent(whole) }
            try forget(id)
            state.isEnded = true
        }
    }

    private func storedRecord(of id: TestID) throws -> UploadRecord? {
        do {
            let (bytes, _) = try fileSystem.readFile(layout.record(id), maximumBytes: 64 << 10)
            let record = try DocumentCoding.decode(UploadRecord.self, from: bytes)
            return record.id == id ? record : nil
        } catch let error as FileError where error.isMissing {
            return nil
        } catch is DocumentFault {
            // Only the received bytes are lost: the upload restarts.
            return nil
        }
    }

    private func record(of id: TestID) throws -> UploadRecord? {
        guard var record = try storedRecord(of: id) else { return nil }
        // Its bytes were moved away, for the comparison or to their final place.
        if try fileSystem.status(at: layout.bytes(id))?.sizeBytes ?? 0 < record.offset { record.offset = 0 }
        return record
    }

    /// Runs a function while no connection writes to the upload. After it sets `isEnded`, the slot is gone.
    func withSlot<Result: Sendable>(
        _ id: TestID, _ body: (UploadSlot, inout UploadSlot.State) throws -> Result
    ) throws -> Result {
        while true {
            let slot = slot(id)
            let result = try slot.use { state in
                let result = try body(slot, &state)
                if state.isEnded { slots.withLock { $0[id] = nil } }
                return result
            }
            if let result { return result }
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
}
