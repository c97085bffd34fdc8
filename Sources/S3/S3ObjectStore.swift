import AsyncHTTPClient
import Disk
import HTTPCaching
import Model
import NIOCore
import NIOSSL
import ObjectStores
import StrictXML
import Synchronization

/// Objects in a bucket, over the API of Amazon S3 that many stores speak.
///
/// A put has `If-None-Match: *`. Where its reply was lost, the repetition may find the object made: then its bytes are compared, and
/// one's own are one's own success.
package final class S3ObjectStore: ObjectStore {
    package let bucket: S3Bucket
    private let client: S3Client
    private let clock: any StoreClock

    /// - Parameter trust: whom to trust for the certificate of an encrypted endpoint.
    package convenience init(
        _ bucket: S3Bucket, _ settings: S3Settings, clock: any StoreClock,
        trust: TLSConfiguration = .makeClientConfiguration()
    ) {
        self.init(bucket, settings, clock: clock, trust: trust, limits: S3Client.Limits(), retry: S3Retry())
    }

    init(
        _ bucket: S3Bucket, _ settings: S3Settings, clock: any StoreClock,
        trust: TLSConfiguration = .makeClientConfiguration(), limits: S3Client.Limits, retry: S3Retry
    ) {
        self.bucket = bucket
        self.clock = clock
        client = S3Client(bucket, settings, clock: clock, trust: trust, limits: limits, retry: retry)
    }

    package var place: String { bucket.url }

    package func shutdown() async { await client.shutdown() }

    // MARK: - Put

    package func putIfAbsent(
        _ name: ObjectName, _ content: ObjectContent
    ) async throws(ObjectStoreError) -> PutOutcome {
        guard content.sizeBytes <= Self.maximumObjectBytes else {
            throw ObjectStoreError(.tooLong, "\(place)/\(name) would be longer than \(Self.maximumObjectBytes) bytes")
        }
        let request = S3Client.Request(
            method: "PUT", object: name,
            fields: [("If-None-Match", "*"), ("Content-Type", "application/octet-stream")], content: content)
        let (reply, isRepeated) = try await client.send(request)
        switch reply.status {
        case 200, 201, 204:
            await drain(reply)
            return .created
        case 412:
            guard isRepeated else { return .exists }
            return try await holds(name, content) ? .created : .exists
        default: throw client.error(reply, name)
        }
    }

    /// Whether an object is this content.
    private func holds(_ name: ObjectName, _ content: ObjectContent) async throws(ObjectStoreError) -> Bool {
        guard let body = try await get(name, range: nil), body.sizeBytes == content.sizeBytes else { return false }
        var builder = DigestBuilder()
        while let piece = try await body.next() { piece.withUnsafeBytes { builder.update($0) } }
        return builder.finish() == content.digest
    }

    // MARK: - Get, head, delete

    package func get(_ name: ObjectName, range: Range<Int64>?) async throws(ObjectStoreError) -> ObjectBody? {
        if let range, range.isEmpty || range.upperBound <= 0 {
            guard let status = try await head(name) else { return nil }
            return Self.empty(status.sizeBytes, status.modified, at: range.lowerBound)
        }
        guard let reply = try await reply(name, range) else { return nil }
        let modified = reply.modified(clock.now) ?? .epoch
        if reply.status == 416 {
            guard let size = reply.sizeOfWhole else {
                guard let status = try await head(name) else { return nil }
                return Self.empty(status.sizeBytes, status.modified, at: status.sizeBytes)
            }
            return Self.empty(size, modified, at: size)
        }
        guard let size = reply.status == 206 ? reply.sizeOfWhole : reply.length else {
            throw ObjectStoreError(
                .unusable, "\(place)/\(name) is answered without its length: is this an object store?")
        }
        if reply.status == 200, range != nil, range?.lowerBound != 0 || (range?.upperBound ?? 0) < size {
            throw ObjectStoreError(.unusable, "\(place) ignores ranges, so it cannot be used")
        }
        let part = ObjectBody.part(range, of: size)
        let download = S3Download(self, name, part, reply.body)
        return ObjectBody(sizeBytes: size, modified: modified, range: part) {
            () async throws(ObjectStoreError) -> [UInt8]? in try await download.next()
        }
    }

    private static func empty(_ size: Int64, _ modified: Timestamp, at offset: Int64) -> ObjectBody {
        let place = min(max(0, offset), size)
        return ObjectBody(sizeBytes: size, modified: modified, range: place..<place) {
            () async throws(ObjectStoreError) -> [UInt8]? in nil
        }
    }

    /// - Returns: 200, 206 or 416; `nil` for a missing object.
    fileprivate func reply(
        _ name: ObjectName, _ range: Range<Int64>?
    ) async throws(ObjectStoreError) -> S3Reply? {
        var request = S3Client.Request(method: "GET", object: name)
        if let range { request.fields = [("Range", "bytes=\(max(0, range.lowerBound))-\(range.upperBound - 1)")] }
        let reply = try await client.send(request).reply
        switch reply.status {
        case 200, 206, 416: return reply
        case 404 where reply.fault.code != "NoSuchBucket": return nil
        default: throw client.error(reply, name)
        }
    }

    fileprivate func failure(_ error: any Error) -> ObjectStoreError { client.failure(error) }

    package func head(_ name: ObjectName) async throws(ObjectStoreError) -> ObjectStatus? {
        let reply = try await client.send(S3Client.Request(method: "HEAD", object: name)).reply
        switch reply.status {
        case 200:
            await drain(reply)
            guard let size = reply.length else {
                throw ObjectStoreError(
                    .unusable, "\(place)/\(name) is answered without its length: is this an object store?")
            }
            return ObjectStatus(name: name, sizeBytes: size, modified: reply.modified(clock.now) ?? .epoch)
        case 404: return nil
        default: throw client.error(reply, name)
        }
    }

    package func delete(_ name: ObjectName) async throws(ObjectStoreError) {
        let reply = try await client.send(S3Client.Request(method: "DELETE", object: name)).reply
        switch reply.status {
        case 200, 202, 204: await drain(reply)
        case 404 where reply.fault.code != "NoSuchBucket": return
        default: throw client.error(reply, name)
        }
    }

    /// Reads what is left of a reply, so that its connection can be used again.
    private func drain(_ reply: S3Reply) async {
        do { _ = try await client.bytes(of: reply) } catch {
            // Its status counts.
        }
    }

    // MARK: - List

    package func list(
        prefix: String, after: ObjectName?, limit: Int
    ) async throws(ObjectStoreError) -> [ObjectStatus] {
        precondition(limit > 0)
        var found: [ObjectStatus] = []
        var last = after.map { bucket.prefix + $0.text }
        while true {
            let page = try await page(prefix, after: last, limit: min(1000, limit - found.count))
            for entry in page.entries {
                guard entry.key.utf8.starts(with: bucket.prefix.utf8) else { continue }
                let text = String(decoding: entry.key.utf8.dropFirst(bucket.prefix.utf8.count), as: UTF8.self)
                // Others may keep objects here whose names are none of ours.
                guard let name = ObjectName(text), name.hasPrefix(prefix) else { continue }
                found.append(ObjectStatus(name: name, sizeBytes: entry.sizeBytes, modified: entry.modified))
            }
            if found.count >= limit || !page.isTruncated { return found }
            guard let end = page.entries.last?.key, last.map({ $0.utf8.lexicographicallyPrecedes(end.utf8) }) ?? true
            else {
                throw ObjectStoreError(.unusable, "\(place) lists its objects in no order, so it cannot be used")
            }
            last = end
        }
    }

    private func page(_ prefix: String, after: String?, limit: Int) async throws(ObjectStoreError) -> S3List {
        var request = S3Client.Request(method: "GET")
        request.query = [("list-type", "2"), ("max-keys", "\(limit)"), ("encoding-type", "url")]
        if !(bucket.prefix + prefix).isEmpty { request.query.append(("prefix", bucket.prefix + prefix)) }
        if let after { request.query.append(("start-after", after)) }
        let reply = try await client.send(request).reply
        guard reply.status == 200 else { throw client.error(reply, nil) }
        let bytes = try await client.bytes(of: reply)
        do throws(XMLFault) {
            return try S3List(bytes)
        } catch {
            throw ObjectStoreError(.unusable, "the list of \(place) cannot be read: \(error)")
        }
    }
}

/// An object as it arrives. Where the connection breaks, the rest is asked for: an object never changes.
private actor S3Download {
    private let store: S3ObjectStore
    private let name: ObjectName
    private var rest: Range<Int64>
    /// `nil` while a piece is waited for, and after the end.
    private var pieces: HTTPClientResponse.Body.AsyncIterator?
    private var resumptions = 0

    private static let mostResumptions = 5

    init(_ store: S3ObjectStore, _ name: ObjectName, _ range: Range<Int64>, _ body: HTTPClientResponse.Body) {
        self.store = store
        self.name = name
        rest = range
        pieces = body.makeAsyncIterator()
    }

    func next() async throws(ObjectStoreError) -> [UInt8]? {
        while !rest.isEmpty {
            do {
                if let piece = try await piece() {
                    guard piece.count <= rest.count else {
                        throw ObjectStoreError(.unusable, "\(store.place)/\(name) is longer than was said")
                    }
                    rest = rest.lowerBound + Int64(piece.count)..<rest.upperBound
                    return piece
                }
                throw ObjectStoreError(.interrupted, "\(store.place)/\(name) ended in the middle")
            } catch {
                let failure = store.failure(error)
                guard failure.isTransient, resumptions < Self.mostResumptions else { throw failure }
                resumptions += 1
                guard let reply = try await store.reply(name, rest), reply.status == 206 else { throw failure }
                pieces = reply.body.makeAsyncIterator()
            }
        }
        // The end of the reply, so that its connection can be used again.
        do { _ = try await piece() } catch {
            // Everything is there.
        }
        return nil
    }

    private func piece() async throws -> [UInt8]? {
        guard var current = pieces else { return nil }
        pieces = nil
        while let piece = try await current.next(isolation: self) {
            if piece.readableBytes == 0 { continue }
            pieces = current
            return Array(piece.readableBytesView)
        }
        return nil
    }
}
