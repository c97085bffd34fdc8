import HTTPTypes
import Model

/// Decides which stored responses a request invalidates (RFC 9111 section 4.4).
package enum Invalidation {
    /// The URLs whose stored responses are removed or marked as invalid: the target of an unsafe request that did not
    /// fail, and the URLs in its Location and Content-Location within the same origin.
    ///
    /// Never another origin's: an answer could otherwise empty its cache.
    package static func urls(_ request: CacheRequest, status: Int, response: HTTPFields) -> [String] {
        guard !request.isSafe, (200..<400).contains(status) else { return [] }
        var urls = [request.url]
        guard let target = NormalURL(request.url, form: .anyServer) else { return urls }
        if target.text != request.url { urls.append(target.text) }
        for name in [HTTPField.Name.location, .contentLocation] {
            for value in response[values: name] {
                guard let url = target.sameOrigin(value, clientAuthority: request.clientAuthority),
                    !urls.contains(url.text)
                else { continue }
                urls.append(url.text)
            }
        }
        return urls
    }
}
