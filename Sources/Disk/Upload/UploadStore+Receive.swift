import Model

// Receives the content of uploads.
extension UploadStore {
    /// One request's part of an upload.
    package struct Part: Sendable {
        /// The start: the upload's current offset, or 0 to restart it.
        package var offset: Int64
        /// As announced; `nil` if not announced.
        package var length: Int64?
        /// Whether this part completes the upload.
        package var isComplete: Bool
        /// SHA-256 of this request's content (Content-Digest); `nil` if not announced.
        package var digest: Digest?

        package init(offset: Int64, length: Int64?, isComplete: Bool, digest: Digest? = nil) {
            self.offset = offset
            self.length = length
            self.isComplete = isComplete
            self.digest = digest
        }
    }

    /// Stores the content of an upload as it arrives. If the connection breaks, the received bytes are kept.
    ///
    /// - Parameter next: returns the next piece; `nil` at the end.
    /// - Returns: the offset reached: on disk, synced.
    /// - Throws: `UploadFault`, `FileError`, and the errors of `next`.
    package func receive(
        _ id: TestID, _ part: Part, _ next: () async throws -> [UInt8]?
    ) async throws -> UploadRecord {
        let writer = try await offload { [self] in
            guard let writer = try takeOver(id, from: part.offset) else { throw UploadFault.unknown(id) }
            return writer
        }
        // Closed here, and not with the last reference: no file is open when the caller learns that the upload ended.
        do {
            let record = try await receive(part, writer, next)
            try await offload { writer.close() }
            return record
        } catch {
            try await offload { writer.close() }
            throw error
        }
    }

    /// Makes a new writer, at the upload's current offset or at its start.
    private func takeOver(_ id: TestID, from offset: Int64) throws -> UploadWriter? {
        try withSlot(id) { slot, state in
            guard var record = try counted(id, &state) else {
                state.isEnded = true
                return nil
            }
            guard offset == 0 || offset == record.offset else {
                throw UploadFault.elsewhere(expected: record.offset, provided: offset)
            }
            if offset < record.offset {
                // Before the counted bytes are overwritten.
                record.offset = offset
                try save(record)
            }
            let file = try fileSystem.open(layout.bytes(id), .update)
            do throws(FileError) {
                try fileSystem.resize(file, to: offset)
            } catch {
                fileSystem.closeQuietly(file)
                throw error
            }
            state.writtenBytes = offset
            record.writer = state.writer
            return UploadWriter(record, writer: state.writer, file: file, slot: slot, uploads: self)
        }
    }

    private func receive(
        _ part: Part, _ writer: UploadWriter, _ next: () async throws -> [UInt8]?
    ) async throws -> UploadRecord {
        if let length = part.length, length > writer.missingBytes {
            throw UploadFault.inconsistentLength(writer.sizeBytes)
        }
        let (count, digest): (Int64, Digest)
        do {
            (count, digest) = try await receive(writer, next)
        } catch let fault as UploadFault {
            throw fault
        } catch {
            // The connection broke: the received bytes are kept.
            _ = try await offload { try writer.pause() }
            throw error
        }
        if let expected = part.digest, expected != digest, part.length.map({ $0 == count }) ?? true {
            // None of the bytes is valid.
            try await offload { try writer.revert(to: part.offset) }
            throw UploadFault.digestMismatch
        }
        let record = try await offload { try writer.pause() }
        // A broken connection may look like the end of the body.
        if let length = part.length, count != length {
            throw UploadFault.incomplete(arrived: count, announced: length, offset: record.offset)
        }
        if part.isComplete, record.offset != record.sizeBytes {
            throw UploadFault.inconsistentLength(record.sizeBytes)
        }
        return record
    }

    /// - Returns: the number of bytes received, and their SHA-256.
    private func receive(
        _ writer: UploadWriter, _ next: () async throws -> [UInt8]?
    ) async throws -> (count: Int64, digest: Digest) {
        var builder = DigestBuilder()
        var gathered: [UInt8] = []
        var count: Int64 = 0
        let missing = writer.missingBytes
        do {
            while let bytes = try await next() {
                count += Int64(bytes.count)
                guard count <= missing else { throw UploadFault.inconsistentLength(writer.sizeBytes) }
                bytes.withUnsafeBytes { builder.update($0) }
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
        return (count, builder.finish())
    }
}
