import HTTPCaching
import HTTPTypes
import Model
import Simulation
import Sync
import Synchronization
import Testing

@Suite("The HTTP cache when the origin is slow, failing or away")
struct HTTPCacheOfflineTests {
    /// An origin that can be taken away.
    private final class Switch: Sendable {
        private let failure = Mutex<RemoteFailure?>(nil)
        var isAway: RemoteFailure? {
            get { failure.withLock { $0 } }
            set { failure.withLock { $0 = newValue } }
        }
    }

    private static let unreachable = RemoteFailure(.unreachable, "no route to it")

    private func ground(
        _ control: String, policy: CachePolicy = .hub, _ away: Switch = Switch()
    ) throws -> (CachingFixture, Switch) {
        let ground = try CachingFixture(policy: policy) { request in
            if let failure = away.isAway { throw failure }
            return reply(200, [.cacheControl: control, .eTag: "\"1\""], "kept")
        }
        return (ground, away)
    }

    @Test("with the origin away, what is stored is served however old it is, and says so honestly")
    func stale() async throws {
        let (ground, away) = try ground("max-age=10")
        _ = try await ground.get()
        ground.pass(seconds: 1_000_000)
        away.isAway = Self.unreachable
        let answer = try await ground.get()
        #expect(answer.status == 200 && answer.body == "kept" && answer.age == 1_000_000)
        #expect(answer.cacheStatus == "hub; fwd=stale; ttl=-999990; detail=unreachable")
        #expect(ground.http.statistics.staleServed == 1)
    }

    @Test(
        "except what its server forbids to use without asking: a 504 that says so (sections 5.2.2.2 and 5.2.2.4)",
        arguments: ["max-age=10, must-revalidate", "no-cache", "s-maxage=10", "max-age=10, proxy-revalidate"])
    func strict(_ control: String) async throws {
        let (ground, away) = try ground(control)
        _ = try await ground.get()
        ground.pass(seconds: 100)
        away.isAway = Self.unreachable
        let answer = try await ground.get()
        #expect(answer.status == 504 && answer.fields[.contentType] == "application/problem+json")
        #expect(answer.body.contains("no route to it") && answer.cacheStatus.contains("fwd="))
    }

    @Test("what was never kept gets a 504; a broken answer gets a 502 (RFC 9110 sections 15.6.3 and 15.6.5)")
    func nothingStored() async throws {
        let (ground, away) = try ground("no-store")
        _ = try await ground.get()
        away.isAway = Self.unreachable
        #expect(try await ground.get().status == 504)
        away.isAway = RemoteFailure(.invalidReply, "no HTTP")
        #expect(try await ground.get().status == 502)
        #expect(try await ground.get(method: .post).status == 502)
    }

    @Test("with the offline policy off, stale is served for as long as stale-if-error allows (RFC 5861 section 4)")
    func staleIfError() async throws {
        let policy = CachePolicy(isShared: true, servesStaleOffline: false)
        let (ground, away) = try ground("max-age=10, stale-if-error=100", policy: policy)
        _ = try await ground.get()
        away.isAway = Self.unreachable
        ground.pass(seconds: 100)
        #expect(try await ground.get().status == 200)
        ground.pass(seconds: 20)
        #expect(try await ground.get().status == 504)
    }

    @Test("a server's error is answered with what is stored, where that may be (RFC 5861 section 4)")
    func serverError() async throws {
        let isBroken = Mutex(false)
        let ground = try CachingFixture { request in
            if isBroken.withLock({ $0 }) { return reply(503, [:], "overloaded") }
            let control = request.path == "/a" ? "max-age=10, stale-if-error=100" : "max-age=10, must-revalidate"
            return reply(200, [.cacheControl: control], "kept")
        }
        for path in ["/a", "/b"] { _ = try await ground.get(path) }
        isBroken.withLock { $0 = true }
        ground.pass(seconds: 50)
        let answer = try await ground.get()
        #expect(answer.body == "kept" && answer.cacheStatus.contains("fwd=stale; fwd-status=503"))
        #expect(try await ground.get("/b").status == 503)
        // The error took the place of nothing.
        isBroken.withLock { $0 = false }
        #expect(try await ground.get("/b").body == "kept")
    }

    @Test("an error of the caller's own reaches the caller")
    func ownError() async throws {
        struct Own: Error {}
        let ground = try CachingFixture { _ in throw Own() }
        await #expect(throws: Own.self) { try await ground.get() }
    }

    @Test("an error of the caller's own is thrown whatever is stored: it is no word about the origin")
    func ownErrorOverStale() async throws {
        struct Own: Error {}
        let isBroken = Mutex(false)
        let ground = try CachingFixture { _ in
            if isBroken.withLock({ $0 }) { throw Own() }
            return reply(200, [.cacheControl: "max-age=10"], "kept")
        }
        _ = try await ground.get()
        ground.pass(seconds: 100)
        isBroken.withLock { $0 = true }
        await #expect(throws: Own.self) { try await ground.get() }
    }

    @Test("200 clients at once for one cold document: one request to the origin, and all read the one answer")
    func collapsed() async throws {
        let gate = Gate()
        let ground = try CachingFixture { _ in
            await gate.pass()
            return reply(200, [.cacheControl: "max-age=60"], String(repeating: "word ", count: 40_000))
        }
        try await withThrowingTaskGroup(of: CachingFixture.Answer.self) { group in
            for _ in 0..<200 { group.addTask { try await ground.get() } }
            await waitUntil("all wait for the one") { ground.http.statistics.collapsed == 199 }
            gate.open()
            for try await answer in group { #expect(answer.status == 200 && answer.body.utf8.count == 200_000) }
        }
        #expect(ground.origin.count == 1)
        await ground.http.finishBackgroundWork()
        #expect(ground.temporaryFiles.isEmpty)
        await waitUntil("no file is open") { ground.files.openFileCount == 0 }
    }

    @Test("what turns out to be for one alone sends the others to the origin on their own")
    func unshareable() async throws {
        let gate = Gate()
        let ground = try CachingFixture { _ in
            await gate.pass()
            return reply(200, [.cacheControl: "private"], "mine")
        }
        try await withThrowingTaskGroup(of: CachingFixture.Answer.self) { group in
            for _ in 0..<5 { group.addTask { try await ground.get() } }
            await waitUntil("all wait") { ground.http.statistics.collapsed == 4 }
            gate.open()
            for try await answer in group { #expect(answer.body == "mine") }
        }
        #expect(ground.origin.count == 5)
    }

    @Test(
        "a response that must be validated before use is for its requester alone, whichever clients wait (RFC 9111 section 4)",
        arguments: ["", "max-age=0", "public"])
    func unusableTogether(_ control: String) async throws {
        let gate = Gate()
        let ground = try CachingFixture { request in
            await gate.pass()
            let user = request.headerFields[.cookie] ?? ""
            return reply(200, [.cacheControl: control, .eTag: "\"\(user)\"", .setCookie: "seen=\(user)"], user)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask {
                    let answer = try await ground.get("/a", [.cookie: "user=\(number)"])
                    #expect(answer.body == "user=\(number)" && answer.fields[.setCookie] == "seen=user=\(number)")
                }
            }
            await waitUntil("all wait") { ground.http.statistics.collapsed == 4 }
            gate.open()
            try await group.waitForAll()
        }
        #expect(ground.origin.count == 5)
    }

    @Test("so is what the server confirmed for one", arguments: ["no-cache", "max-age=0"])
    func confirmedTogether(_ control: String) async throws {
        let gate = Gate()
        let ground = try CachingFixture { request in
            guard request.headerFields.contains(.ifNoneMatch) else {
                return reply(200, [.cacheControl: control, .eTag: "\"1\""], "kept")
            }
            await gate.pass()
            return reply(304, [.eTag: "\"1\"", .setCookie: request.headerFields[.cookie] ?? ""])
        }
        _ = try await ground.get()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask {
                    let answer = try await ground.get("/a", [.cookie: "user=\(number)"])
                    // The cookie is the own one, though a shared cache keeps none (RFC 9111 section 7.3).
                    #expect(answer.body == "kept" && answer.fields[.setCookie] == "user=\(number)")
                }
            }
            await waitUntil("all wait") { ground.http.statistics.collapsed == 4 }
            gate.open()
            try await group.waitForAll()
        }
        #expect(ground.origin.count == 6)
    }

    @Test("a kept connection that ended is replaced, unless there is something to serve (RFC 9112 section 9.3.1)")
    func endedConnection() async throws {
        let failures = Mutex(0)
        let ground = try CachingFixture { request in
            let fails = failures.withLock { count in
                count -= 1
                return count >= 0
            }
            if fails { throw RemoteFailure(.interrupted, "ended", mayBeRepeated: true) }
            return reply(200, [.cacheControl: "max-age=10\(request.path == "/a" ? ", stale-if-error=60" : "")"], "kept")
        }
        failures.withLock { $0 = 1 }
        #expect(try await ground.get().body == "kept")
        #expect(ground.origin.count == 2)
        ground.pass(seconds: 20)
        failures.withLock { $0 = 1 }
        #expect(try await ground.get().cacheStatus.contains("detail=unreachable"))
        #expect(ground.origin.count == 3)
        failures.withLock { $0 = 2 }
        #expect(try await ground.get("/b").status == 504)
        #expect(ground.origin.count == 5)
        #expect(try await ground.get("/b").body == "kept")
        ground.pass(seconds: 20)
        // Stale content was not declared acceptable: a new connection is tried first.
        failures.withLock { $0 = 1 }
        #expect(try await ground.get("/b").cacheStatus.contains("fwd-status=200"))
        failures.withLock { $0 = 2 }
        ground.pass(seconds: 20)
        #expect(try await ground.get("/b").cacheStatus.contains("detail=unreachable"))
    }

    @Test("where the server says for how long stale is better than its own error, its word counts (RFC 5861 section 4)")
    func statedWindow() async throws {
        let isBroken = Mutex(false)
        let ground = try CachingFixture { _ in
            isBroken.withLock { $0 }
                ? reply(503, [:], "broken") : reply(200, [.cacheControl: "max-age=10, stale-if-error=30"], "kept")
        }
        _ = try await ground.get()
        isBroken.withLock { $0 = true }
        ground.pass(seconds: 39)
        #expect(try await ground.get().body == "kept")
        ground.pass(seconds: 1)
        #expect(try await ground.get().status == 503)
    }

    @Test("a server that fails is asked once, and all waiting clients get its failure")
    func failingTogether() async throws {
        let gate = Gate()
        let ground = try CachingFixture { _ in
            await gate.pass()
            return reply(503, [:], "its own words")
        }
        try await withThrowingTaskGroup(of: CachingFixture.Answer.self) { group in
            for _ in 0..<50 { group.addTask { try await ground.get() } }
            await waitUntil("all wait") { ground.http.statistics.collapsed == 49 }
            gate.open()
            var words: [String] = []
            for try await answer in group {
                #expect(answer.status == 503)
                words.append(answer.body)
            }
            #expect(words.count { $0 == "its own words" } == 1)
            #expect(words.count { $0.contains("a moment ago") } == 49)
        }
        #expect(ground.origin.count == 1)
        // It is no answer to those who come later.
        #expect(try await ground.get().body == "its own words")
    }

    @Test("of requests for the same part, one asks; other parts are asked for on their own", arguments: [0, 100_000])
    func collapsedParts(_ first: Int) async throws {
        let text = String(repeating: "0123456789", count: 20_000)
        let gate = Gate()
        let ground = try CachingFixture { request in
            await gate.pass()
            let asked = request.headerFields[.range] == "bytes=\(first)-" ? first : 5
            let part = String(text.dropFirst(asked))
            var reply = reply(206, [.cacheControl: "max-age=60", .eTag: "\"1\""], part)
            reply.head.headerFields[.contentRange] = "bytes \(asked)-199999/200000"
            return reply
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                let asked = number < 39 ? first : 5
                group.addTask {
                    let answer = try await ground.get("/a", [.range: "bytes=\(asked)-"])
                    #expect(answer.status == 206 && answer.body == text.dropFirst(asked))
                    #expect(answer.fields[.contentRange] == "bytes \(asked)-199999/200000")
                }
            }
            await waitUntil("all wait") { ground.http.statistics.collapsed == 38 && ground.origin.count == 2 }
            gate.open()
            try await group.waitForAll()
        }
        #expect(ground.origin.count == 2)
    }

    @Test("of requests that differ in what Vary names, each kind asks once")
    func collapsedVariants() async throws {
        let gate = Gate()
        let ground = try CachingFixture { request in
            await gate.pass()
            let language = request.headerFields[.acceptLanguage] ?? ""
            return reply(200, [.cacheControl: "max-age=60", .vary: "Accept-Language"], language)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                let language = number % 2 == 0 ? "en" : "ru"
                group.addTask {
                    let answer = try await ground.get("/a", [.acceptLanguage: language])
                    #expect(answer.body == language)
                }
            }
            await waitUntil("all wait") { ground.http.statistics.collapsed == 39 }
            gate.open()
            try await group.waitForAll()
        }
        #expect(ground.origin.count == 2)
    }

    @Test("while it revalidates in the background, no client waits, and one request is sent (RFC 5861 section 3)")
    func staleWhileRevalidate() async throws {
        let gate = Gate()
        let isGated = Mutex(false)
        let ground = try CachingFixture { request in
            if isGated.withLock({ $0 }) { await gate.pass() }
            return reply(
                200, [.cacheControl: "max-age=10, stale-while-revalidate=100"], isGated.withLock { $0 } ? "new" : "old")
        }
        _ = try await ground.get()
        ground.pass(seconds: 20)
        isGated.withLock { $0 = true }
        // The origin does not answer while these are answered.
        try await withThrowingTaskGroup(of: CachingFixture.Answer.self) { group in
            for _ in 0..<200 { group.addTask { try await ground.get() } }
            for try await answer in group {
                #expect(answer.body == "old" && answer.cacheStatus == "hub; hit; ttl=-10" && answer.age == 20)
            }
        }
        await waitUntil("the origin is asked") { ground.origin.count == 2 }
        gate.open()
        await ground.http.finishBackgroundWork()
        #expect(try await ground.get().body == "new")
        #expect(ground.origin.count == 2)
    }

    @Test("a failure of the one that asked is everybody's, and each gets what may be served")
    func collapsedFailure() async throws {
        let gate = Gate()
        let ground = try CachingFixture { _ in
            await gate.pass()
            throw Self.unreachable
        }
        try await withThrowingTaskGroup(of: CachingFixture.Answer.self) { group in
            for _ in 0..<20 { group.addTask { try await ground.get() } }
            await waitUntil("all wait") { ground.http.statistics.collapsed == 19 }
            gate.open()
            for try await answer in group { #expect(answer.status == 504) }
        }
        #expect(ground.origin.count == 1)
    }

    @Test("who waits and is cancelled leaves at once; the others get the answer")
    func cancelledWaiter() async throws {
        let gate = Gate()
        let ground = try CachingFixture { _ in
            await gate.pass()
            return reply(200, [.cacheControl: "max-age=60"], "x")
        }
        let leader = Task { try await ground.get() }
        await waitUntil("it asks") { ground.origin.count == 1 }
        let waiter = Task { try await ground.get() }
        await waitUntil("one waits") { ground.http.statistics.collapsed == 1 }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        leader.cancel()
        gate.open()
        // Who asked first has left, too: what it asked for is kept all the same.
        _ = try? await leader.value
        await ground.http.finishBackgroundWork()
        #expect(try await ground.get().cacheStatus.contains("hit"))
    }
}
