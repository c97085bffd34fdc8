import Disk
import Model
import Synchronization

/// One connection's part of an upload: the bytes go to the disk as they come. All calls block on the disk.
final class UploadWriter: Sendable {
    private struct State {
        var record: UploadRecord
        var writtenBytes: Int64
    }

    private let archive: MediaArchive
    private let slot: UploadSlot
    private let writer: Int
    private let file: OpenFile
    private let state: Mutex<State>

    init(_ record: UploadRecord, slot: UploadSlot, archive: MediaArchive) throws {
        self.archive = archive
        self.slot = slot
        file = try archive.fileSystem.open(HostLayout.uploadBytes(record.id), .update)
        do throws(FileError) {
            try archive.fileSystem.resize(file, to: record.offset)
        } catch {
            archive.fileSystem.closeQuietly(file)
            throw error
        }
        writer = slot.begin(at: record.offset)
        state = Mutex(State(record: record, writtenBytes: record.offset))
    }

    deinit { archive.fileSystem.closeQuietly(file) }

    /// How many bytes are still to come.
    var missingBytes: Int64 { state.withLock { $0.record.sizeBytes - $0.writtenBytes } }

    /// - Throws: a 409 `Problem` when a later connection goes on with this upload.
    func write(_ bytes: [UInt8]) throws {
        try state.withLock { state in
            let offset = state.writtenBytes
            let isMine: Void? = try slot.write(as: writer) { slot in
                try archive.fileSystem.writeAll(file, bytes, at: offset)
                slot.writtenBytes = offset + Int64(bytes.count)
            }
            guard isMine != nil else { throw superseded }
            state.writtenBytes += Int64(bytes.count)
            if state.writtenBytes - state.record.offset >= MediaArchive.syncBytes { try count(&state) }
        }
    }

    /// Syncs what came, and counts it.
    func pause() throws -> UploadRecord {
        try state.withLock { state in
            try count(&state)
            return state.record
        }
    }

    private func count(_ state: inout State) throws {
        guard state.writtenBytes != state.record.offset else { return }
        var record = state.record
        record.offset = state.writtenBytes
        let counted = record
        let isMine: Void? = try slot.write(as: writer) { _ in
            try archive.fileSystem.continuing { () throws(FileError) in try archive.fileSystem.sync(file) }
            try archive.save(counted)
        }
        guard isMine != nil else { throw superseded }
        state.record = counted
    }

    private var superseded: Problem {
        Problem(.conflict, "Another connection has gone on with this upload: ask how far it is, then go on from there.")
    }
}
