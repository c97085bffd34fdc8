import HTTPCaching
import HTTPTypes
import Model
import Synchronization
import WireFormat

/// The client's side of resumable uploads (draft-ietf-httpbis-resumable-upload; docs/protocol.md, section 10).
///
/// An upload starts without content: a server that already has these bytes answers with its receipt before one is sent,
/// and the URL for resuming is known before the first one is.
package struct ResumableUpload: Sendable {
    /// One exchange: method, URL, fields, content.
    package typealias Exchange =
        @Sendable (HTTPRequest.Method, String, HTTPFields, HTTPBody) async throws(RemoteFailure) -> RemoteReply

    /// After this many consecutive attempts without progress, it is postponed.
    private static let fruitlessAttempts = 3
    /// The least progress: a normal transfer may lose less than this on the way.
    private static let progressBytes: Int64 = 64 << 10
    private static let pieceBytes: Int64 = 128 << 10

    private let upload: MediaUpload
    private let base: String
    private let remoteName: String
    private let exchange: Exchange

    /// - Parameters:
    ///   - base: what all URLs of the remote begin with, without a slash at the end; nothing is sent elsewhere.
    ///   - remoteName: for what goes wrong.
    package init(_ upload: MediaUpload, base: String, remoteName: String, exchange: @escaping Exchange) {
        self.upload = upload
        self.base = base
        self.remoteName = remoteName
        self.exchange = exchange
    }

    /// Sends what the remote has not yet.
    ///
    /// - Returns: the remote's last word: a receipt, or its refusal.
    package func run() async throws(RemoteFailure) -> RemoteReply {
        var place = upload.known.flatMap { $0.hasPrefix(base + "/") ? $0 : nil }
        var fruitless = 0
        var best: Int64 = -1
        while true {
            let stand = try await stand(at: place)
            switch stand {
            case .answered(let reply): return reply
            case .gone: place = nil
            case .open(let url, let offset, let mostBytes):
                place = url
                fruitless = offset >= best + Self.progressBytes || best < 0 ? 0 : fruitless + 1
                best = max(best, offset)
                upload.progress(offset)
                do throws(RemoteFailure) {
                    let reply = try await append(to: url, from: offset, mostBytes: mostBytes)
                    // The remote has processed a part as intended, or its offset differs from ours: ask again.
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
                throw RemoteFailure(.interrupted, "the upload to \(remoteName) did not get any further")
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

    /// The offset of an upload; starts it if unknown.
    private func stand(at known: String?) async throws(RemoteFailure) -> Stand {
        guard let known else { return try await begin() }
        let reply = try await exchange(.head, known, HTTPFields(), .empty)
        switch reply.status {
        case 200..<300:
            guard let offset = offset(reply) else { return .gone }
            // Its end was stored, and its receipt is at the URL of the start.
            if Self.isComplete(reply) { return try await begin() }
            return .open(url: known, offset: offset, mostBytes: Self.mostBytes(reply))
        // The reply to HEAD has no content by which to know whose it is: that to the beginning has. An upload that is there
        // goes on where it stands.
        case 400..<500 where ![401, 407, 408, 425, 429].contains(reply.status): return try await begin()
        default: return .answered(reply)
        }
    }

    private func begin() async throws(RemoteFailure) -> Stand {
        let change = upload.change
        let url = base + APIPath(attachment: change.id, of: change.owner).text
        var fields = HTTPFields()
        fields[.contentType] = change.mediaType
        fields[.uploadComplete] = "?0"
        fields[.uploadLength] = String(change.sizeBytes)
        fields[.reprDigest] = DigestField.format(change.digest)
        fields[.quireChange] = change.id.description
        let reply = try await exchange(.put, url, fields, .empty)
        if reply.status == 405, change.owner.path != nil, !reply.isFromStranger {
            // It waits for a server that does.
            throw RemoteFailure(
                .invalidReply, "\(remoteName) takes no files of questionnaires yet: it needs a newer version")
        }
        guard (200..<300).contains(reply.status), !Self.isComplete(reply), let location = reply.fields[.location] else {
            return .answered(reply)
        }
        guard let place = RemoteURL.resolve(location, against: url),
            place.hasPrefix(base + "/"), let offset = offset(reply)
        else {
            throw RemoteFailure(.invalidReply, "\(remoteName) names no place on this remote for an upload to go on")
        }
        do {
            try await upload.begun(place)
        } catch {
            throw RemoteFailure(.cancelled, "where the upload goes on could not be noted: \(error)")
        }
        return .open(url: place, offset: offset, mostBytes: Self.mostBytes(reply))
    }

    private func offset(_ reply: RemoteReply) -> Int64? {
        guard let offset = reply.fields[.uploadOffset].flatMap({ Int64($0) }),
            (0...upload.change.sizeBytes).contains(offset)
        else { return nil }
        return offset
    }

    private static func isComplete(_ reply: RemoteReply) -> Bool { reply.fields[.uploadComplete] == "?1" }

    /// The limit that the server sets to one request, in bytes.
    private static func mostBytes(_ reply: RemoteReply) -> Int64? {
        for member in (reply.fields[.uploadLimit] ?? "").split(separator: ",") {
            let parts = member.filter { !$0.isWhitespace }.split(separator: ";").first?.split(separator: "=") ?? []
            if parts.count == 2, parts[0] == "max-append-size", let most = Int64(parts[1]), most > 0 { return most }
        }
        return nil
    }

    /// Sends the rest, or as much of it as the server takes at once.
    ///
    /// - Returns: `nil` when that was a part, and it was taken.
    private func append(
        to url: String, from offset: Int64, mostBytes: Int64?
    ) async throws(RemoteFailure) -> RemoteReply? {
        let rest = upload.change.sizeBytes - offset
        let count = min(rest, mostBytes ?? rest)
        var fields = HTTPFields()
        fields[.contentType] = UploadFields.patchType
        fields[.uploadOffset] = String(offset)
        fields[.uploadComplete] = count == rest ? "?1" : "?0"
        let reply = try await exchange(.patch, url, fields, body(from: offset, count: count))
        let isPart = count < rest && (200..<300).contains(reply.status) && !Self.isComplete(reply)
        return isPart ? nil : reply
    }

    /// The bytes from somewhere on, read when they are wanted.
    private func body(from offset: Int64, count: Int64) -> HTTPBody {
        let rest = Rest(next: offset, end: offset + count)
        return HTTPBody(length: count) { [upload] in
            guard let (next, length) = rest.take(Self.pieceBytes) else { return nil }
            let piece = try await upload.read(next, length)
            // Cut while it was sent: what would follow is not what was announced.
            guard !piece.isEmpty else {
                throw RemoteFailure(.cancelled, "the copy of “\(upload.change.name)” is shorter than it was")
            }
            rest.giveBack(length - piece.count)
            upload.progress(next + Int64(piece.count))
            return .bytes(piece)
        }
    }

    /// The unread rest of a body.
    private final class Rest: Sendable {
        private let next: Mutex<Int64>
        private let end: Int64

        init(next: Int64, end: Int64) {
            self.next = Mutex(next)
            self.end = end
        }

        func take(_ mostBytes: Int64) -> (offset: Int64, count: Int)? {
            next.withLock { next in
                guard next < end else { return nil }
                let count = min(mostBytes, end - next)
                defer { next += count }
                return (next, Int(count))
            }
        }

        func giveBack(_ count: Int) { next.withLock { $0 -= Int64(count) } }
    }
}
