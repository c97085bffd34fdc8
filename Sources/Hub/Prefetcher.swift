import Disk
import HTTPTypes
import Model
import Quire
import Sync
import Synchronization
import WireFormat

/// Keeps the content that a room will need fresh, so that it is there in the hours without the upstream.
///
/// Each round requests all of it from the cache with `min-fresh` (RFC 9111 section 5.2.1.3): content that stays fresh
/// costs nothing, the rest is validated or fetched.
final class Prefetcher: Sendable {
    private let caching: CachingUpstream
    private let clock: any StoreClock
    private let patterns: [String]
    private let keepsAll: Bool
    private let knownURLs: @Sendable () throws -> [String]
    private let spare: @Sendable (Set<String>) -> Void
    private let progress: Mutex<HubReport.Keeping>
    /// The questionnaires that lists have named, by their URLs.
    private let known = Mutex<[String: KnownQuestionnaire]>([:])
    private let kicks: AsyncStream<Void>
    private let kicker: AsyncStream<Void>.Continuation

    /// A remaining lifetime below this is renewed.
    static let marginSeconds = 900
    /// Between two rounds, while the upstream is reachable.
    static let pauseSeconds: Int64 = 300
    static let parallelFetches = 4
    static let longestListBytes = 16 << 20

    /// - Parameters:
    ///   - knownURLs: the URLs in the cache: patterns with a star choose among these.
    ///   - spare: gets the URLs that must not be evicted for other content.
    init(
        caching: CachingUpstream, clock: any StoreClock, patterns: [String], keepsAll: Bool,
        knownURLs: @escaping @Sendable () throws -> [String], spare: @escaping @Sendable (Set<String>) -> Void
    ) {
        self.caching = caching
        self.clock = clock
        self.patterns = patterns
        self.keepsAll = keepsAll
        self.knownURLs = knownURLs
        self.spare = spare
        progress = Mutex(HubReport.Keeping(urls: 0, missing: 0))
        (kicks, kicker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        caching.upstream.presence.watch { [weak self] isReachable in if isReachable { self?.kicker.yield() } }
    }

    var state: HubReport.Keeping { progress.withLock { $0 } }

    /// Runs until the task is cancelled.
    func run() async {
        guard keepsAll || !patterns.isEmpty else { return }
        kicker.yield()
        for await _ in kicks {
            await round()
            if Task.isCancelled { return }
            let timer = Task { [clock, kicker] in
                do { try await clock.sleep(for: .seconds(Self.pauseSeconds)) } catch { return }
                kicker.yield()
            }
            await withTaskCancellationHandler {
            } onCancel: {
                timer.cancel()
            }
        }
    }

    /// Updates all prefetched content once.
    func round() async {
        let (urls, held) = await wanted()
        // Before new content could evict it, and also while the upstream is unreachable.
        spare(Set((urls + held).compactMap { request($0).map(HTTPCache.url) }))
        if caching.upstream.presence.reasonNotToTry() != nil { return }
        var missing = 0
        await withTaskGroup(of: Bool.self) { group in
            var rest = urls[...]
            for _ in 0..<Self.parallelFetches {
                guard let url = rest.popFirst() else { break }
                group.addTask { await self.bring(url) }
            }
            while let isThere = await group.next() {
                if !isThere { missing += 1 }
                if let url = rest.popFirst(), !Task.isCancelled { group.addTask { await self.bring(url) } }
            }
        }
        let (count, absent) = (urls.count, missing)
        progress.withLock { $0 = HubReport.Keeping(urls: count, missing: absent, lastRound: clock.now) }
    }

    /// Whether a URL is in the cache now, fresh or confirmed.
    private func bring(_ url: String) async -> Bool {
        guard let request = request(url), let reply = try? await caching.fetch(request) else { return false }
        // Existing content need not be read.
        if reply.head.headerFields[.cacheStatus]?.contains("hit") == true { return true }
        do {
            while try await reply.body.next() != nil {}
        } catch {
            return false
        }
        return reply.head.status.code < 400
    }

    private func request(_ url: String) -> HTTPRequest? {
        let address = caching.upstream.address
        let origin = "\(address.scheme)://\(address.authority)"
        guard url.hasPrefix(origin + "/") else { return nil }
        // In the form of devices' requests, so that they get the stored responses.
        return HTTPRequest(
            method: .get, scheme: address.scheme, authority: address.authority,
            path: caching.normalised(String(url.dropFirst(origin.count))),
            headerFields: [
                .acceptEncoding: "gzip", .cacheControl: "min-fresh=\(Self.marginSeconds)", .userAgent: "quire-hub",
            ])
    }

    // MARK: What is to be kept

    private struct KnownQuestionnaire {
        /// Its own URL and those of its media.
        var urls: [String]
        /// When a list lacked it for the first time since one named it.
        var missingSince: Timestamp?
    }

    /// The content kept although the list no longer names it.
    ///
    /// - Returns: the URLs that stay in the cache until a later list confirms the removal.
    private func held(beside listed: [String: KnownQuestionnaire], isComplete: Bool) -> [String] {
        let now = clock.now
        return known.withLock { known in
            if isComplete {
                let decision = RemovalDecision.decide(
                    here: known.mapValues(\.missingSince), listed: Set(listed.keys), now: now)
                known = known.filter { decision.held.contains($0.key) }
                for url in Array(known.keys) where known[url]?.missingSince == nil { known[url]?.missingSince = now }
            }
            let held = known.filter { listed[$0.key] == nil }.values.flatMap(\.urls)
            known.merge(listed) { $1 }
            return held
        }
    }

    /// The URLs to be asked for, each once, the list of questionnaires first; and those that a list no longer names and that
    /// stay all the same: to ask for them would replace them by an error.
    func wanted() async -> (urls: [String], held: [String]) {
        let base = caching.upstream.address.base
        let listURL = base + APIPath.questionnaires.text
        var urls: [String] = []
        var seen: Set<String> = []
        func want(_ url: String) {
            if seen.insert(url).inserted, url.hasPrefix(base + "/") { urls.append(url) }
        }
        var held: [String] = []
        let ids = Set(patterns.filter { !$0.hasPrefix("/") })
        if keepsAll || !ids.isEmpty {
            var page: String? = listURL
            var pages = 0
            var listed: [String: KnownQuestionnaire] = [:]
            while let url = page, pages < 1000 {
                want(url)
                pages += 1
                guard let list = await list(url) else { break }
                for item in list.questionnaires where keepsAll || ids.contains(item.id) {
                    let resolved = ([item.url] + (item.media ?? [])).compactMap {
                        RemoteURL.resolve($0, against: listURL)
                    }
                    resolved.forEach(want)
                    if let url = resolved.first { listed[url] = KnownQuestionnaire(urls: resolved) }
                }
                page = list.next.map { "\(listURL)?cursor=\(PercentEncoding.encode($0))" }
            }
            held = self.held(beside: listed, isComplete: page == nil)
        }
        for pattern in patterns where pattern.hasPrefix("/") {
            guard pattern.contains("*") else {
                want(base + pattern)
                continue
            }
            for url in (try? await offload { [knownURLs] in try knownURLs() }) ?? []
            where url.hasPrefix(base) && Self.matches(url.dropFirst(base.count), pattern) {
                want(url)
            }
        }
        return (urls, held)
    }

    private struct List: Decodable {
        struct Item: Decodable {
            var id: String
            var url: String
            var media: [String]?
        }
        var questionnaires: [Item]
        var next: String?
    }

    private func list(_ url: String) async -> List? {
        guard let request = request(url), let reply = try? await caching.fetch(request), reply.head.status.code == 200,
            let content = try? await reply.body.collect(maximumBytes: Self.longestListBytes)
        else { return nil }
        let isPacked = reply.head.headerFields[.contentEncoding]?.lowercased() == "gzip"
        guard let bytes = isPacked ? try? Gzip.decompress(content, maximumBytes: Self.longestListBytes) : content else {
            return nil
        }
        return try? DocumentCoding.decode(List.self, from: bytes)
    }

    /// Whether a path matches a pattern, in which `*` stands for any text.
    static func matches(_ path: some StringProtocol, _ pattern: String) -> Bool {
        var parts = pattern.split(separator: "*", omittingEmptySubsequences: false)[...]
        guard let first = parts.popFirst(), path.hasPrefix(first) else { return false }
        var rest = path[path.index(path.startIndex, offsetBy: first.count)...]
        guard let last = parts.popLast() else { return rest.isEmpty }
        for part in parts where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last) && rest.count >= last.count
    }
}
