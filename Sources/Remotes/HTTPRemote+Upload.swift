import AsyncHTTPClient
import FoundationEssentials
import HTTPTypes
import Model
import NIOCore
import NIOHTTP1
import Sync

/// Attachments over HTTP: resumable uploads (draft-ietf-httpbis-resumable-upload).
///
/// An upload is begun without content: so a server that has these bytes answers with its receipt before one is sent, and
/// where it goes on is known before the first one is.
extension HTTPRemote {
    /// After so many attempts in a row that brought nothing further, it is left for later.
    private static let fruitlessAttempts = 3
    /// What counts as further: less may have been lost on the way as it went.
    private static let progressBytes: Int64 = 64 << 10

    public func upload(_ upload: MediaUpload) async throws(RemoteFailure) -> RemoteReply {
        var place = upload.known.flatMap { $0.hasPrefix(base + "/") ? $0 : nil }
        var fruitless = 0
        var best: Int64 = -1
        while true {
            let stand = try await stand(upload, at: place)
            switch stand {
            case .answered(let reply): return reply
            case .gone: place = nil
            case .open(let url, let offset, let mostBytes):
                place = url
                fruitless = offset >= best + Self.progressBytes || best < 0 ? 0 : fruitless + 1
                best = max(best, offset)
                upload.progress(offset)
                do throws(RemoteFailure) {
                    let reply = try await append(upload, to: url, from: offset, mostBytes: mostBytes)
                    // It took a part as it was meant to, or stands elsewhere than we thought: asked anew.
                    guard let reply, reply.status != 409 else { break }
                    if reply.status == 404 || reply.status == 410 {
                        place = nil
                        fruitless += 1
                        break
                    }
                    return reply
                } catch {
                    guard error.kind == .interrupted, fruitless < Self.fruitlessAttempts else { throw error }
                }
            }
            guard fruitless < Self.fruitlessAttempts else {
                throw RemoteFailure(.interrupted, "the upload to \(authority) did not get any further")
            }
        }
    }

    private enum Stand {
        /// It goes on from here; the server takes at most so many bytes at once.
        case open(url: String, offset: Int64, mostBytes: Int64?)
        case gone
        /// The server has it all, or will not take it.
        case answered(RemoteReply)
    }

    /// How far an upload is; it is begun where nothing is known of it.
    private func stand(_ upload: MediaUpload, at known: String?) async throws(RemoteFailure) -> Stand {
        guard let known else { return try await begin(upload) }
        let reply = try await exchange(
            .HEAD, known, fields: HTTPFields(), body: nil, maximumBytes: Self.longestReceiptBytes)
        switch reply.status {
        case 200..<300:
            guard let offset = Self.offset(reply, upload) else { return .gone }
            // The end of it was stored, and its receipt is where the upload was begun.
            if Self.isComplete(reply) { return try await begin(upload) }
            return .open(url: known, offset: offset, mostBytes: Self.mostBytes(reply))
        case 404, 410: return try await begin(upload)
        default: return .answered(reply)
        }
    }

    private func begin(_ upload: MediaUpload) async throws(RemoteFailure) -> Stand {
        let change = upload.change
        let url = base + "/v1/tests/\(change.test)/media/\(change.id)"
        var fields = HTTPFields()
        fields[.contentType] = change.mediaType
        fields.append(HTTPField(name: .uploadComplete, value: "?0"))
        fields.append(HTTPField(name: .uploadLength, value: String(change.sizeBytes)))
        fields.append(HTTPField(name: .reprDigest, value: DigestField.format(change.digest)))
        fields.append(HTTPField(name: .quireChange, value: change.id.description))
        let reply = try await exchange(.PUT, url, fields: fields, body: [], maximumBytes: Self.longestReceiptBytes)
        guard (200..<300).contains(reply.status), !Self.isComplete(reply), let location = reply.fields[.location] else {
            return .answered(reply)
        }
        guard let place = URL(string: location, relativeTo: URL(string: url))?.absoluteString,
            place.hasPrefix(base + "/"), let offset = Self.offset(reply, upload)
        else {
            throw RemoteFailure(.invalidReply, "\(authority) names no place on this remote for an upload to go on")
        }
        do {
            try await upload.begun(place)
        } catch {
            throw RemoteFailure(.cancelled, "where the upload goes on could not be noted: \(error)")
        }
        return .open(url: place, offset: offset, mostBytes: Self.mostBytes(reply))
    }

    private static func offset(_ reply: RemoteReply, _ upload: MediaUpload) -> Int64? {
        guard let offset = reply.fields[.uploadOffset].flatMap({ Int64($0) }),
            (0...upload.change.sizeBytes).contains(offset)
        else { return nil }
        return offset
    }

    private static func isComplete(_ reply: RemoteReply) -> Bool { reply.fields[.uploadComplete] == "?1" }

    /// The limit that the server sets to one request, in bytes.
    private static func mostBytes(_ reply: RemoteReply) -> Int64? {
        for member in (reply.fields[.uploadLimit] ?? "").split(separator: ",") {
            let parts = member.filter { !$0.isWhitespace }.split(separator: ";")[0].split(separator: "=")
            if parts.count == 2, parts[0] == "max-append-size", let most = Int64(parts[1]), most > 0 { return most }
        }
        return nil
    }

    /// Sends the rest, or as much of it as the server takes at once.
    ///
    /// - Returns: `nil` when that was a part, and it was taken.
    private func append(
        _ upload: MediaUpload, to url: String, from offset: Int64, mostBytes: Int64?
    ) async throws(RemoteFailure) -> RemoteReply? {
        let rest = upload.change.sizeBytes - offset
        let count = min(rest, mostBytes ?? rest)
        var fields = HTTPFields()
        fields[.contentType] = "application/partial-upload"
        fields.append(HTTPField(name: .uploadOffset, value: String(offset)))
        fields.append(HTTPField(name: .uploadComplete, value: count == rest ? "?1" : "?0"))
        let pieces = UploadPieces(upload: upload, offset: offset, end: offset + count)
        let reply = try await exchange(
            .PATCH, url, fields: fields, content: .stream(pieces, length: .known(count)), sizeBytes: count,
            maximumBytes: Self.longestReceiptBytes)
        let isPart = count < rest && (200..<300).contains(reply.status) && !Self.isComplete(reply)
        return isPart ? nil : reply
    }
}

/// The bytes of an attachment from somewhere on, read when they are wanted.
private struct UploadPieces: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    static let pieceBytes: Int64 = 128 << 10

    let upload: MediaUpload
    let offset: Int64
    let end: Int64

    struct AsyncIterator: AsyncIteratorProtocol {
        let upload: MediaUpload
        var offset: Int64
        let end: Int64

        mutating func next() async throws -> ByteBuffer? {
            guard offset < end else { return nil }
            let piece = try await upload.read(offset, Int(Swift.min(UploadPieces.pieceBytes, end - offset)))
            // Cut while it was sent: what would follow is not what was announced.
            guard !piece.isEmpty else {
                throw RemoteFailure(.cancelled, "the copy of “\(upload.change.name)” is shorter than it was")
            }
            offset += Int64(piece.count)
            upload.progress(offset)
            return ByteBuffer(bytes: piece)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(upload: upload, offset: offset, end: end) }
}

extension HTTPField.Name {
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    fileprivate static let uploadOffset = HTTPField.Name("Upload-Offset")!
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    fileprivate static let uploadComplete = HTTPField.Name("Upload-Complete")!
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    fileprivate static let uploadLength = HTTPField.Name("Upload-Length")!
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    fileprivate static let uploadLimit = HTTPField.Name("Upload-Limit")!
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    fileprivate static let reprDigest = HTTPField.Name("Repr-Digest")!
}
