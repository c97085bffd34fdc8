import AsyncHTTPClient

/// A client that is shut down with its last reference: AsyncHTTPClient's own ends the program (in debug builds) when it is
/// let go of before.
final class KeptClient: Sendable {
    let http: HTTPClient

    init(_ http: HTTPClient) { self.http = http }

    // In the background. One that was shut down already says so, and that is all.
    deinit { http.shutdown { _ in } }
}
