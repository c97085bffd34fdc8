import HTTPTypes
import Model
import Sync
import WireFormat

/// Keeps the cache consistent with changes that go to the upstream past it.
struct Renewal: Sendable {
    let caching: CachingUpstream

    /// The upstream answered a change: outdated responses are marked, and renewed at once while it is reachable.
    ///
    /// - Parameter request: as it went to the upstream.
    func note(_ reply: RemoteReply, to request: HTTPRequest) async {
        let base = caching.upstream.address.base
        let published = (try? DocumentCoding.decode(Receipt.self, from: reply.body))?.published
        // Both names of a questionnaire lead to the same document.
        let documents = Set(
            [published?.id, published?.localId].compactMap { $0 }.map { base + APIPath.questionnaire($0).text })
        let lists = [APIPath.questionnaires, .changes, .favorites].map { base + $0.text }
        let outdated = await caching.cache.noteChange(by: request, status: reply.status, fields: reply.fields) { url in
            lists.contains(String(url.prefix { $0 != "?" })) || documents.contains(url)
        }
        bring(outdated, authorization: request.headerFields[.authorization])
    }

    /// Renews documents in the background. A failure is left to the next request for it.
    func bring(_ urls: [String], authorization: String?) {
        let address = caching.upstream.address
        let origin = "\(address.scheme)://\(address.authority)"
        let requests = urls.filter { $0.hasPrefix(origin + "/") }.map { url in
            // In the form of devices' requests, so that they get the stored responses.
            var fields: HTTPFields = [.acceptEncoding: "gzip", .cacheControl: "no-cache", .userAgent: "quire-hub"]
            fields[.authorization] = authorization
            return HTTPRequest(
                method: .get, scheme: address.scheme, authority: address.authority,
                path: String(url.dropFirst(origin.count)), headerFields: fields)
        }
        if requests.isEmpty { return }
        Task {
            for request in requests {
                guard let reply = try? await caching.fetch(request) else { continue }
                while (try? await reply.body.next()) != nil {}
            }
        }
    }
}
