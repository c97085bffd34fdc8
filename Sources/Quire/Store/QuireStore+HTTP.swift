import HTTPCaching
import Sync

/// The store's cache in front of any HTTP client.
extension QuireStore {
    /// An HTTP cache (RFC 9111) that keeps its responses in this store, within its quota.
    ///
    ///     let cache = store.httpCache(named: "my-app")
    ///     let reply = try await cache.fetch(request) { request, body, interim in
    ///         try await myClient.send(request, body)
    ///     }
    ///
    /// `HTTPRequest` and its fields are those of swift-http-types; the import of Quire names them.
    ///
    /// Make one and keep it: it remembers the entries that it has read, and joins requests for the same resource. Its
    /// responses are not questionnaires: a library does not list them.
    ///
    /// Pulled responses stay the pull's. This cache answers from them where RFC 9111 allows that; other responses of
    /// such a URL (another version, 404, a prohibition to store) are stored beside them, or not at all. The
    /// questionnaire stays in the library and opens as before, its pictures too, until a pull fetches another version.
    ///
    /// It is one user's cache: a response to one `Authorization` may answer a request with another (RFC 9111 section
    /// 3.5 is about shared caches alone). An app that changes accounts uses a store for each; `name` does not separate
    /// them.
    ///
    /// Content of unknown length may use the free part of the quota, and at most a quarter of it from other responses.
    ///
    /// - Parameters:
    ///   - policy: `.device` for the cache of one user, `.hub` for one that serves many. Bodies are kept as they come, in
    ///     both (`storesDecoded` is about pulls).
    ///   - name: its name in Cache-Status (RFC 9211).
    public func httpCache(policy: CachePolicy = .device, named name: String) -> HTTPCache {
        HTTPCache(cache: cache, clock: clock, policy: policy, overrides: settings.cacheControl, name: name)
    }
}
