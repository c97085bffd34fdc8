import Model
import Synchronization

/// One connection's part of an upload: the bytes are written as they arrive. All calls block on the disk.
final class UploadWriter: Sendable {
    private struct State {
        var record: UploadRecord
        var writtenBytes: Int64
        /// `nil` when closed.
        var file: OpenFile?
    }

    private let uploads: UploadStore
    private let slot: UploadSlot
    private let writer: Int
    let sizeBytes: Int64
    private let state: Mutex<State>

    /// - Parameters:
    ///   - record: with the number of this writer.
    ///   - file: truncated at the record's offset by the code that took the upload over.
    init(_ record: UploadRecord, writer: Int, file: OpenFile, slot: UploadSlot, uploads: UploadStore) {
        self.uploads = uploads
        sizeBytes = record.sizeBytes
        self.slot = slot
        self.writer = writer
        state = Mutex(State(record: record, writtenBytes: record.offset, file: file))
    }

    deinit { close() }

    /// Closes the file; uncounted bytes are ignored.
    func close() {
        state.withLock { state in
            guard let file = state.file else { return }
            state.file = nil
            uploads.fileSystem.closeQuietly(file)
        }
    }

    /// The number of bytes still to receive.
    var missingBytes: Int64 { state.withLock { $0.record.sizeBytes - $0.writtenBytes } }

    /// - Throws: `UploadFault.superseded` if a later connection has taken the upload over.
    func write(_ bytes: [UInt8]) throws {
        try state.withLock { state in
            guard let file = state.file else { throw UploadFault.superseded }
            let offset = state.writtenBytes
            let isMine: Void? = try slot.write(as: writer) { slot in
                try uploads.fileSystem.writeAll(file, bytes, at: offset)
                slot.writtenBytes = offset + Int64(bytes.count)
            }
            guard isMine != nil else { throw UploadFault.superseded }
            state.writtenBytes += Int64(bytes.count)
            if state.writtenBytes - state.record.offset >= UploadStore.syncBytes { try count(&state) }
        }
    }

    /// Syncs and counts the received bytes.
    func pause() throws -> UploadRecord {
        try state.withLock { state in
            try count(&state)
            return state.record
        }
    }

    /// Discards the bytes received since `offset`; does nothing if a later connection has taken the upload over.
    func revert(to offset: Int64) throws {
        try state.withLock { state in
            var record = state.record
            record.offset = offset
            let former = record
            let isMine: Void? = try slot.write(as: writer) { slot in
                slot.writtenBytes = nil
                try uploads.save(former)
            }
            if isMine != nil { state.record = former }
        }
    }

    private func count(_ state: inout State) throws {
        guard state.writtenBytes != state.record.offset else { return }
        guard let file = state.file else { throw UploadFault.superseded }
        var record = state.record
        record.offset = state.writtenBytes
        let counted = record
        let isMine: Void? = try slot.write(as: writer) { _ in
            try uploads.fileSystem.continuing { () throws(FileError) in try uploads.fileSystem.sync(file) }
            try uploads.save(counted)
        }
        guard isMine != nil else { throw UploadFault.superseded }
        state.record = counted
    }
}
