import Model

// What comes of an upload.
extension UploadStore {
    /// One request's part of an upload.
    package struct Part: Sendable {
        /// Where it begins: where the upload stands, or 0 to begin anew.
        package var offset: Int64
        /// As announced; `nil` where it was not.
        package var length: Int64?
        /// Whether the upload is whole with it.
        package var isComplete: Bool
        /// SHA-256 of what comes in this request (Content-Digest); `nil` where it was not announced.
        package var digest: Digest?

        package init(offset: Int64, length: Int64?, isComplete: Bool, digest: Digest? = nil) {
            self.offset = offset
            self.length = length
            self.isComplete = isComplete
            self.digest = digest
        }
    }

    /// Takes what comes of an upload, as it comes. When the connection breaks, what came stays.
    ///
    /// - Parameter next: gives the next piece; `nil` at the end.
    /// - Returns: how far the upload is then: on the disk, synced.
    /// - Throws: `UploadFault`, `FileError`, and what `next` throws.
    package func receive(
        _ id: TestID, _ part: Part, _ next: () async throws -> [UInt8]?
    ) async throws -> UploadRecord {
        let writer = try await offload { [self] in
            guard let writer = try takeOver(id, from: part.offset) else { throw UploadFault.unknown(id) }
            return writer
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

    /// Makes a new writer, from where the upload stands, or from its beginning.
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
                // Before the bytes that were counted are overwritten.
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
            // The connection broke: what came stays.
            _ = try await offload { try writer.pause() }
            throw error
        }
        if let expected = part.digest, expected != digest, part.length.map({ $0 == count }) ?? true {
            // None of it is what was sent.
            try await offload { try writer.revert(to: part.offset) }
            throw UploadFault.digestMismatch
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

    /// - Returns: how many bytes came, and their SHA-256.
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
