import Disk
import Model
import SystemPackage

/// The uploads of any number of hosts in a bucket.
///
///     uploads/<uuid>/record/<n>           what is expected, and the folder of its pieces; the greatest number counts
///     uploads/<uuid>/<folder>/<offset>    the bytes from this offset on
///
/// A piece is made once, so the bytes of an offset come from one connection, whichever host it reaches. The pieces that follow
/// each other from 0 on without a gap have arrived. An upload that starts again gets another folder: what a connection that was
/// held up still writes into the former one is not read.
struct UploadBucket: Uploads {
    /// The most bytes of one piece: what a connection that breaks with its host may lose.
    static let pieceBytes = 4 << 20

    /// After so long without a piece the next connection notes that the upload goes on.
    static let secondsUntilItIsNoted: Double = 86_400

    private let files: HostBucket
    private let clock: any StoreClock
    let maximumBytes: Int64

    init(_ files: HostBucket, clock: any StoreClock, maximumBytes: Int64) {
        self.files = files
        self.clock = clock
        self.maximumBytes = maximumBytes
    }

    private struct Entry: Codable {
        var upload: UploadRecord
        var pieces: TestID
        /// Whether a host removes it: no connection resumes it then.
        var isRemoved: Bool?
    }

    /// An upload as it is in the bucket.
    struct Upload: Sendable {
        var record: UploadRecord
        fileprivate var pieceFolder: TestID
        /// The number of the record's version.
        fileprivate var number: Int
        /// When anything was last added, by the store's clock.
        fileprivate var modified: Timestamp
        var pieces: [(path: FilePath, sizeBytes: Int64)] = []

        fileprivate func piece(at offset: Int64) -> FilePath {
            HostLayout.upload(record.id).appending(name: pieceFolder.description)
                .appending(name: UploadBucket.name(ofPieceAt: offset))
        }
    }

    // MARK: - Finding

    /// The upload with this id; `nil` where there is none.
    func find(_ id: TestID) throws -> Upload? {
        let place = HostLayout.upload(id)
        let found = try files.files(below: place)
        let last = found.compactMap { Self.number(ofRecord: $0.name) }.max()
        guard let last, let bytes = try files.version(last, of: HostLayout.uploadRecord(id), maximumBytes: 64 << 10)
        else { return nil }
        let entry: Entry
        do throws(DocumentFault) {
            entry = try DocumentCoding.decode(Entry.self, from: bytes)
        } catch {
            // Only the received bytes are lost: the upload restarts.
            return nil
        }
        guard entry.upload.id == id, entry.isRemoved != true else { return nil }
        var upload = Upload(
            record: entry.upload, pieceFolder: entry.pieces, number: last,
            modified: found.map(\.modified).max() ?? clock.now)
        upload.record.offset = 0
        let prefix = entry.pieces.description + "/"
        let sizes = Dictionary(
            found.filter { $0.name.hasPrefix(prefix) }.map { ($0.name.dropFirst(prefix.count), $0.sizeBytes) },
            uniquingKeysWith: { first, _ in first })
        while let size = sizes[Self.name(ofPieceAt: upload.record.offset)[...]], size > 0,
            size <= upload.record.sizeBytes - upload.record.offset
        {
            upload.pieces.append((upload.piece(at: upload.record.offset), size))
            upload.record.offset += size
        }
        return upload
    }

    func pause(_ id: TestID) throws -> UploadRecord? { try find(id)?.record }

    /// Notes that an upload goes on, where nothing was added for a day: a host that starts meanwhile leaves it then.
    ///
    /// - Returns: `nil` where a host has just taken it away.
    private func kept(_ upload: Upload) throws -> Upload? {
        guard clock.now.seconds(since: upload.modified) >= Self.secondsUntilItIsNoted else { return upload }
        let entry = Entry(upload: upload.record, pieces: upload.pieceFolder)
        if let number = try put(entry, after: upload.number) {
            var upload = upload
            (upload.number, upload.modified) = (number, clock.now)
            return upload
        }
        // Another connection has noted it, or restarted it.
        return try find(upload.record.id)
    }

    // MARK: - Beginning and ending

    func begin(_ attachment: Attachment, of owner: MediaOwner) throws -> UploadRecord {
        while true {
            let known = try find(attachment.id)
            if let record = known?.record, record.digest == attachment.digest, record.owner == owner,
                record.sizeBytes == attachment.sizeBytes
            {
                guard try known.flatMap({ try kept($0) })?.record == record else { continue }
                return record
            }
            guard attachment.sizeBytes <= maximumBytes else {
                throw UploadFault.tooLong(sizeBytes: attachment.sizeBytes, maximumBytes: maximumBytes)
            }
            let record = UploadRecord(
                id: attachment.id, owner: owner, digest: attachment.digest, sizeBytes: attachment.sizeBytes, offset: 0,
                dateBegun: clock.now)
            if try start(record, after: known?.number ?? lastNumber(attachment.id)) != nil { return record }
        }
    }

    /// - Returns: `nil` where another connection was quicker.
    private func start(_ record: UploadRecord, after number: Int) throws -> Upload? {
        let entry = Entry(upload: record, pieces: .random())
        guard let made = try put(entry, after: number) else { return nil }
        return Upload(record: record, pieceFolder: entry.pieces, number: made, modified: clock.now)
    }

    /// - Returns: the number of the new version; `nil` where another connection was quicker.
    private func put(_ entry: Entry, after number: Int) throws -> Int? {
        let former = FileVersion(bytes: [], number: number)
        let path = HostLayout.uploadRecord(entry.upload.id)
        return try files.replace(path, DocumentCoding.encode(entry), former: former) ? number + 1 : nil
    }

    /// The number of the last record, which may be one that cannot be read.
    private func lastNumber(_ id: TestID) throws -> Int {
        try files.files(below: HostLayout.upload(id)).compactMap { Self.number(ofRecord: $0.name) }.max() ?? 0
    }

    /// Discards what has arrived.
    ///
    /// - Throws: `UploadFault.superseded` where another connection was quicker.
    func restart(_ upload: Upload) throws -> Upload {
        var record = upload.record
        record.offset = 0
        guard let restarted = try start(record, after: upload.number) else { throw UploadFault.superseded }
        for piece in upload.pieces { try files.remove(piece.path) }
        return restarted
    }

    func cancel(_ id: TestID) throws -> Bool {
        guard try find(id) != nil else { return false }
        try forget(id)
        return true
    }

    /// Removes all that there is of an upload.
    func forget(_ id: TestID) throws { try forget(id, try files.files(below: HostLayout.upload(id)).map(\.name)) }

    private func forget(_ id: TestID, _ names: [String]) throws {
        // The record first: pieces without one are not read.
        let records = names.filter { Self.number(ofRecord: $0) != nil }
        for name in records + names.filter({ Self.number(ofRecord: $0) == nil }) {
            try files.remove(HostLayout.upload(id).appending(name: name))
        }
    }

    /// Removes uploads that have ended, and those to which nothing was added for a long time.
    func recover(isEnded: (TestID) throws -> Bool) throws {
        var uploads: [TestID: (names: [String], modified: Timestamp)] = [:]
        for file in try files.files(below: HostLayout.uploads) {
            let parts = file.name.split(separator: "/", maxSplits: 1)
            guard parts.count == 2, let id = TestID(parts[0]), id.description == parts[0] else { continue }
            var upload = uploads[id] ?? ([], file.modified)
            upload.names.append(String(parts[1]))
            upload.modified = max(upload.modified, file.modified)
            uploads[id] = upload
        }
        for (id, upload) in uploads {
            if try isEnded(id) {
                try forget(id, upload.names)
            } else if isAbandoned(upload.modified) {
                try abandon(id, upload.names)
            }
        }
    }

    /// Removes an upload, unless a connection has just continued it: of the two one makes the next version of the record.
    private func abandon(_ id: TestID, _ names: [String]) throws {
        var names = names
        if let upload = try find(id) {
            guard isAbandoned(upload.modified) else { return }
            let entry = Entry(upload: upload.record, pieces: upload.pieceFolder, isRemoved: true)
            guard let made = try put(entry, after: upload.number) else { return }
            names.append(HostBucket.versionName(made, of: FilePath(HostLayout.uploadRecordName)))
        }
        // Only these names: another connection may have started the upload again meanwhile.
        try forget(id, names)
    }

    private func isAbandoned(_ modified: Timestamp) -> Bool {
        clock.now.seconds(since: modified) >= UploadStore.longestPauseSeconds
    }

    // MARK: - Receiving

    func receive(
        _ id: TestID, _ part: UploadStore.Part, _ next: () async throws -> [UInt8]?
    ) async throws -> UploadRecord {
        var arrival = Arrival(files: files, upload: try await offload { try resume(id, at: part.offset) })
        if let length = part.length, length > arrival.missingBytes {
            throw UploadFault.inconsistentLength(arrival.upload.record.sizeBytes)
        }
        var builder = DigestBuilder()
        var count: Int64 = 0
        let missing = arrival.missingBytes
        do {
            while let bytes = try await next() {
                count += Int64(bytes.count)
                guard count <= missing else {
                    throw UploadFault.inconsistentLength(arrival.upload.record.sizeBytes)
                }
                bytes.withUnsafeBytes { builder.update($0) }
                arrival.gathered += bytes
                if arrival.gathered.count >= Self.pieceBytes { arrival = try await Self.flushed(arrival) }
            }
        } catch {
            // The connection broke: the received bytes are kept.
            if !(error is UploadFault), !(error is FileError) { _ = try await Self.flushed(arrival, isLast: true) }
            throw error
        }
        if let expected = part.digest, expected != builder.finish(), part.length.map({ $0 == count }) ?? true {
            // None of the bytes is valid. The last ones first: what is left is what had arrived before.
            let made = arrival.made
            try await offload { for piece in made.reversed() { try files.remove(piece) } }
            throw UploadFault.digestMismatch
        }
        let record = try await Self.flushed(arrival, isLast: true).upload.record
        // A broken connection may look like the end of the body.
        if let length = part.length, count != length {
            throw UploadFault.incomplete(arrived: count, announced: length, offset: record.offset)
        }
        if part.isComplete, record.offset != record.sizeBytes {
            throw UploadFault.inconsistentLength(record.sizeBytes)
        }
        return record
    }

    /// The upload from its offset on, or from its start.
    private func resume(_ id: TestID, at offset: Int64) throws -> Upload {
        guard let upload = try find(id).flatMap({ try kept($0) }) else { throw UploadFault.unknown(id) }
        guard offset == 0 || offset == upload.record.offset else {
            throw UploadFault.elsewhere(expected: upload.record.offset, provided: offset)
        }
        return offset < upload.record.offset ? try restart(upload) : upload
    }

    private static func flushed(_ arrival: Arrival, isLast: Bool = false) async throws -> Arrival {
        try await offload {
            var arrival = arrival
            while arrival.gathered.count >= (isLast ? 1 : pieceBytes) { try arrival.put() }
            return arrival
        }
    }

    /// One connection's part of an upload.
    private struct Arrival: Sendable {
        let files: HostBucket
        var upload: Upload
        var gathered: [UInt8] = []
        /// The pieces that this connection made.
        var made: [FilePath] = []

        init(files: HostBucket, upload: Upload) {
            self.files = files
            self.upload = upload
        }

        /// Those that are not stored yet.
        var missingBytes: Int64 { upload.record.sizeBytes - upload.record.offset - Int64(gathered.count) }

        /// Makes the next piece of what has come. Another connection may have made it of the same bytes: then those count.
        ///
        /// - Throws: `UploadFault.superseded` where it has other ones.
        mutating func put() throws {
            let path = upload.piece(at: upload.record.offset)
            let piece = Array(gathered.prefix(UploadBucket.pieceBytes))
            var count = piece.count
            if try files.putIfAbsent(piece, as: path) {
                made.append(path)
            } else {
                let stored = try files.bytes(of: path, maximumBytes: Int64(UploadBucket.pieceBytes))
                guard let stored, !stored.isEmpty, piece.starts(with: stored) else { throw UploadFault.superseded }
                count = stored.count
            }
            gathered.removeFirst(count)
            upload.record.offset += Int64(count)
        }
    }

    // MARK: - Names

    private static let digits = 16

    private static func name(ofPieceAt offset: Int64) -> String {
        let text = String(offset)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func number(ofRecord name: String) -> Int? {
        let prefix = HostLayout.uploadRecordName + "/"
        return name.hasPrefix(prefix) ? Int(place: name.dropFirst(prefix.count)) : nil
    }
}
