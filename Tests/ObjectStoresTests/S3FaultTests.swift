import Disk
import InMemory
import Model
import ObjectStores
import Synchronization
import Testing

@testable import S3

/// Replies that go wrong, from a store of a script.
@Suite("A bucket whose replies go wrong", .serialized)
struct S3FaultTests {
    private static func with(
        keepsConnections: Bool = false, _ answer: @escaping @Sendable (ScriptedStore.Request, Int) -> String,
        _ body: (S3ObjectStore, ScriptedStore) async throws -> Void
    ) async throws {
        let server = try ScriptedStore(keepsConnections: keepsConnections, answer)
        defer { server.stop() }
        let settings = try S3Settings(["AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"])
        let retry = S3Retry(attempts: 4, firstPause: .zero, longestPause: .zero)
        let store = S3ObjectStore(
            try S3Bucket("s3+http://127.0.0.1:\(server.port)/bucket/p"), settings,
            clock: ManualClock(now: Timestamp(secondsSinceEpoch: 1_800_000_000)), limits: S3Client.Limits(),
            retry: retry)
        try await body(store, server)
        await store.shutdown()
    }

    private static let own = bytes("own answers")

    @Test(
        "412 after a lost reply is one's own success where the bytes are one's own",
        arguments: [("own answers", PutOutcome.created), ("others here", .exists), ("longer than that", .exists)])
    func lostReply(_ stored: String, _ outcome: PutOutcome) async throws {
        try await Self.with { request, number in
            switch (request.method, number) {
            // It took effect, and the connection ended.
            case ("PUT", 0): ""
            case ("PUT", _): reply("412 Precondition Failed", body: fault("PreconditionFailed"))
            default: reply("200 OK", body: stored)
            }
        } _: { (store, server) async throws in
            #expect(try await store.putIfAbsent(name("a"), Self.own) == outcome)
            #expect(server.requests.map(\.method) == ["PUT", "PUT", "GET"])
            #expect(server.requests.prefix(2).allSatisfy { $0.fields["if-none-match"] == "*" && $0.body == Self.own })
        }
    }

    @Test("412 at the first attempt is answered at once")
    func exists() async throws {
        try await Self.with { _, _ in
            reply("412 Precondition Failed", body: fault("PreconditionFailed"))
        } _: { (store, server) async throws in
            #expect(try await store.putIfAbsent(name("a"), Self.own) == .exists)
            #expect(server.requests.count == 1)
        }
    }

    @Test(
        "a store that is overloaded is asked again, a bounded number of times",
        arguments: ["503 Slow Down", "500 Internal Server Error", "429 Too Many Requests", ""])
    func retries(_ status: String) async throws {
        let bad = status.isEmpty ? "" : reply(status, "Retry-After: 0", body: fault("SlowDown"))
        try await Self.with { _, number in
            number < 3 ? bad : reply("200 OK")
        } _: { (store, server) async throws in
            #expect(try await store.putIfAbsent(name("a"), Self.own) == .created)
            #expect(server.requests.count == 4)
        }
        try await Self.with { _, _ in
            bad
        } _: { (store, server) async throws in
            let error = await #expect(throws: ObjectStoreError.self) { try await store.delete(name("a")) }
            #expect(error?.isTransient == true)
            #expect(server.requests.count == 4)
        }
    }

    @Test(
        "what a repetition does not change is reported in a sentence that says what to do",
        arguments: [
            ("403 Forbidden", "SignatureDoesNotMatch", ObjectStoreError.Kind.refused, "AWS_SECRET_ACCESS_KEY"),
            ("403 Forbidden", "InvalidAccessKeyId", .refused, "AWS_ACCESS_KEY_ID"),
            ("403 Forbidden", "AccessDenied", .refused, "ask who runs the bucket"),
            ("400 Bad Request", "AuthorizationHeaderMalformed", .refused, "AWS_REGION"),
            ("404 Not Found", "NoSuchBucket", .unusable, "there is no bucket bucket at"),
            ("501 Not Implemented", "NotImplemented", .unusable, "If-None-Match"),
            ("301 Moved Permanently", "PermanentRedirect", .refused, "AWS_REGION to eu-north-1"),
            ("507 Insufficient Storage", "", .full, "free some space"),
            ("418 I'm a teapot", "", .unusable, "is this an object store?"),
        ])
    func permanent(_ status: String, _ code: String, _ kind: ObjectStoreError.Kind, _ words: String) async throws {
        let answer = reply(status, "x-amz-bucket-region: eu-north-1", body: fault(code, "No."))
        try await Self.with { _, _ in
            answer
        } _: { (store, server) async throws in
            let error = await #expect(throws: ObjectStoreError.self) {
                _ = try await store.putIfAbsent(name("a"), Self.own)
            }
            #expect(error?.kind == kind)
            #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
            #expect(server.requests.count == 1)
        }
    }

    /// RFC 9112 section 9.2. An acknowledgement that is another request's would be an answer lost.
    @Test(
        "what a store sends behind a reply is not the reply to the next request",
        arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nX: ", "x"])
    func surplus(_ what: String) async throws {
        try await Self.with(keepsConnections: true) { request, _ in
            request.target.hasSuffix("/a")
                ? "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" + what
                : "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
        } _: { (store, _) async throws in
            for _ in 0..<8 {
                #expect(try await store.putIfAbsent(name("a"), Self.own) == .created)
                let error = await #expect(throws: ObjectStoreError.self) {
                    _ = try await store.putIfAbsent(name("b"), Self.own)
                }
                #expect(error?.kind == .refused)
            }
        }
    }

    @Test(
        "a reply that breaks the rules of HTTP is refused at once, with what is wrong",
        arguments: [
            (String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 101), "more than 100 interim replies"),
            ("HTTP/1.1 101 Switching Protocols\r\n\r\n", "the reply's status is 101"),
            ("this is not HTTP\r\n\r\n", "the reply is not HTTP"),
        ])
    func unruly(_ answer: String, _ words: String) async throws {
        try await Self.with { _, _ in
            answer
        } _: { (store, server) async throws in
            let error = await #expect(throws: ObjectStoreError.self) { try await store.delete(name("a")) }
            #expect(error?.kind == .unusable)
            #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
            #expect(error?.reason.hasSuffix("is this an object store?") == true)
            #expect(server.requests.count == 1)
        }
    }

    @Test("a clock that differs is named, with how far")
    func skew() async throws {
        let answer = reply(
            "403 Forbidden", "Date: Fri, 15 Jan 2027 08:30:00 GMT", body: fault("RequestTimeTooSkewed"))
        try await Self.with { _, _ in
            answer
        } _: { (store, _) async throws in
            let head = await #expect(throws: ObjectStoreError.self) { _ = try await store.head(name("a")) }
            let told = await #expect(throws: ObjectStoreError.self) { _ = try await store.get(name("a"), range: nil) }
            #expect(told?.reason.hasPrefix("the clock of this machine is 30 minutes behind that of 127.0.0.1") == true)
            // Its reply has no body that could say so.
            #expect(head?.reason == told?.reason)
        }
    }

    @Test("a download that breaks goes on where it ended")
    func resumed() async throws {
        try await Self.with { request, _ in
            switch request.fields["range"] {
            case nil: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123"
            case "bytes=4-9":
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 4-9/10\r\nContent-Length: 6\r\n\r\n45"
            default: reply("206 Partial Content", "Content-Range: bytes 6-9/10", body: "6789")
            }
        } _: { (store, server) async throws in
            #expect(try await store.text("a") == "0123456789")
            #expect(server.requests.map { $0.fields["range"] } == [nil, "bytes=4-9", "bytes=6-9"])
        }
    }

    @Test("a size that no object has is refused")
    func negativeSize() async throws {
        try await Self.with { _, _ in
            reply("206 Partial Content", "Content-Range: bytes 0-9/-5", body: "0123456789")
        } _: { (store, _) async throws in
            for range in [nil, 0..<10] as [Range<Int64>?] {
                let error = await #expect(throws: ObjectStoreError.self) {
                    _ = try await store.get(name("a"), range: range)
                }
                #expect(error?.kind == .unusable)
            }
        }
    }

    @Test("a list that is no list, or has no order, is refused")
    func lists() async throws {
        let endless = """
            <ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>p/b</Key><Size>1</Size>
            <LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents></ListBucketResult>
            """
        for body in ["<html/>", "no xml", "<!DOCTYPE a><ListBucketResult/>", endless] {
            try await Self.with { _, _ in
                reply("200 OK", body: body)
            } _: { (store, _) async throws in
                let error = await #expect(throws: ObjectStoreError.self) {
                    _ = try await store.list(prefix: "", after: nil, limit: 1000)
                }
                #expect(error?.kind == .unusable)
            }
        }
    }

    @Test("a store that ignores create-only writes is refused with a sentence")
    func unproven() async throws {
        try await Self.with { _, _ in
            reply("200 OK")
        } _: { (store, server) async throws in
            let error = await #expect(throws: ObjectStoreError.self) { try await StoreProof.run(on: store) }
            #expect(error?.kind == .unusable)
            #expect(error?.reason.contains("let 8 of 8 writers make the same object") == true)
            #expect(server.requests.filter { $0.method == "PUT" }.count == 8)
        }
    }

    @Test("pauses are random, grow, are bounded, and wait as long as the store asks")
    func pauses() {
        let retry = S3Retry(attempts: 5, firstPause: .milliseconds(100), longestPause: .milliseconds(500))
        #expect(retry.pause(before: 1, requested: nil, random: 0) == .zero)
        #expect(
            (1...4).map { retry.pause(before: $0, requested: nil, random: 1) }
                == [100, 200, 400, 500].map { .milliseconds($0) })
        #expect(retry.pause(before: 2, requested: nil, random: 0.5) == .milliseconds(100))
        #expect(retry.pause(before: 2, requested: .seconds(3), random: 0.5) == .milliseconds(3100))
        #expect(retry.pause(before: 2, requested: .seconds(3600), random: 0.5) == nil)
        #expect(retry.pause(before: 5, requested: nil, random: 0) == nil)
    }
}
