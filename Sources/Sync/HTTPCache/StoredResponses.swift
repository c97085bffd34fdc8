import CacheStore
import Disk
import HTTPCaching
import Model

/// The stored responses of each URL, and their changes: a fault of the cache is only a miss.
struct StoredResponses: Sendable {
    let cache: Cache
    let memory: EntryMemory
    let flights: Flights

    /// The known responses of a URL.
    func known(_ url: String) async -> KnownResponses {
        if let known = memory.current(url) { return known }
        do {
            return try await offload { [memory] in memory.load(url) }
        } catch {
            return KnownResponses(path: Cache.entryPath(url: url))
        }
    }

    /// Lets go of a response whose content is not there or damaged.
    func forget(_ index: Int, of known: KnownResponses, _ url: String) async -> KnownResponses {
        let lost = known.stored[index]
        await change(url) { responses in responses.removeAll { $0 == lost } }
        return await self.known(url)
    }

    /// Changes the stored responses; a fault of the cache is only a miss.
    func change(_ url: String, _ change: @escaping @Sendable (inout [CacheVariant]) -> Void) async {
        do {
            _ = try await offload { [cache] in try cache.responses.revise(url: url, change) }
        } catch {
            // If the change fails, it is requested again when due.
        }
    }

    // MARK: Invalidation (RFC 9111 section 4.4)

    /// Marks the responses that a change invalidates (RFC 9111 section 4.4): they are used again after validation.
    func invalidate(_ arrived: ValidationOutcome.Reply, _ exchange: Exchange) async {
        for url in Invalidation.urls(exchange.asked, status: arrived.status, response: arrived.fields) {
            await invalidate(url)
        }
    }

    func invalidate(_ url: String) async {
        flights.noteChange(url)
        await change(url) { responses in
            for index in responses.indices { responses[index].response.isInvalidated = true }
        }
    }

    func storedURLs() async -> Set<String> {
        do {
            return Set(try await offload { [cache] in try cache.catalog.records(.trusting).map(\.url) })
        } catch {
            // Entries that cannot be listed cannot be served from here, either.
            return []
        }
    }

    /// The stored form of an answer that was in flight: if its URL was changed since the request, it does not
    /// revalidate what the change invalidated (RFC 9111 section 4.4).
    func valid(_ exchange: Exchange, since changes: Int) -> @Sendable (StoredResponse) -> StoredResponse {
        { [flights] response in
            var response = response
            if flights.isChanged(exchange.asked.url, since: changes) { response.isInvalidated = true }
            return response
        }
    }
}
