import Disk
import HTTPTypes
import Model
import ObjectStores
import Sync
import Synchronization
import SystemPackage

/// Pictures, sounds and films, of any length.
extension FolderRemote {
    /// A file of the folder that is open.
    private struct Found: Sendable {
        var place: FilePath
        var content: OpenContent
        var sizeBytes: Int64
        var digest: Digest
        /// Whether the file's name contains the digest: then the bytes must still be compared with it.
        var isNamed: Bool
    }

    package func stream(
        _ url: String, fields: HTTPFields, maximumBytes: Int64
    ) async throws(RemoteFailure) -> StreamedReply {
        guard let places = places(url) else {
            throw RemoteFailure(.invalidReply, "\(url.prefix(300)) is not in this folder, \(base)")
        }
        let requestTime = clock.now
        let found = try await working { folder in try Self.find(places, folder, maximumBytes) }
        guard let found else {
            var problem = problem(404, "there is no such file in the folder", requestTime)
            let body = HTTPBody(bytes: problem.body)
            problem.body = []
            return StreamedReply(head: problem, body: body)
        }
        var (isUnchanged, head) = head(of: found.place, found.digest, fields)
        if isUnchanged { return StreamedReply(head: reply(304, head, [], requestTime), body: .empty) }
        // A stick that is inserted again starts the file again.
        head[.acceptRanges] = "none"
        if found.isNamed { head[.contentDigest] = DigestField.format(found.digest) }
        return StreamedReply(head: reply(200, head, [], requestTime), body: body(of: found))
    }

    private static func find(
        _ places: [FilePath], _ folder: any ExchangeFiles, _ maximumBytes: Int64
    ) throws -> Found? {
        for place in places {
            guard let content = try folder.open(place) else { continue }
            let sizeBytes = try content.status().sizeBytes
            guard sizeBytes <= maximumBytes else {
                throw RemoteFailure(.invalidReply, "\(place) is longer than \(maximumBytes) bytes and was refused")
            }
            let below = place.components.dropFirst(ExchangeLayout.questionnaires.components.count)
            let named = ContentPath(below.map(\.string).joined(separator: "/"))
            return Found(
                place: place, content: content, sizeBytes: sizeBytes,
                digest: try named?.digest ?? content.digest(), isNamed: named != nil)
        }
        return nil
    }

    private func body(of found: Found) -> HTTPBody {
        let offset = Mutex<Int64>(0)
        return HTTPBody(length: found.sizeBytes) { [self] in
            let start = offset.withLock { $0 }
            let rest = found.sizeBytes - start
            if rest == 0 { return nil }
            do {
                let piece = try await offload { try found.content.piece(at: start, maximumBytes: rest) }
                guard !piece.isEmpty else {
                    throw RemoteFailure(.interrupted, "\(found.place) became shorter while it was read")
                }
                offset.withLock { $0 += Int64(piece.count) }
                return .bytes(piece)
            } catch let error as FileError {
                throw failure(error)
            }
        }
    }
}
