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
    /// Make one and keep it: it remembers what it has read, and joins requests that ask for the same. Its responses are
    /// no questionnaires: a library does not list them.
    ///
    /// What a pull has brought stays the pull's. This cache answers from it where RFC 9111 allows that; what else comes
    /// from such a URL (another version, 404, a prohibition to keep it) it keeps beside it, or not at all. The
    /// questionnaire stays in the library and opens as before, its pictures too, until a pull brings another version.
    ///
    /// It is one user's cache: what came with one `Authorization` may answer a request with another (RFC 9111 section 3.5
    /// speaks of shared caches alone). An app that changes accounts takes a store for each; `name` does not tell them apart.
    ///
    /// Content of unknown length takes what is free of the quota, and of the place of other responses at most a quarter.
    ///
    /// - Parameters:
    ///   - policy: `.device` for the cache of one user, `.hub` for one that serves many. Bodies are kept as they come, in
    ///     both (`storesDecoded` is about pulls).
    ///   - name: what Cache-Status (RFC 9211) calls it.
    public func httpCache(policy: CachePolicy = .device, named name: String) -> HTTPCache {
        HTTPCache(cache: cache, clock: clock, policy: policy, overrides: settings.cacheControl, name: name)
    }
}
