import Disk
import Foundation
import HTTPTypes
import Model
import Sync
import SystemPackage
import Testing

/// What the doc comment of `Remote` promises, of every kind of remote.
@Suite("Every remote keeps the contract")
struct RemoteContractTests {
    private static let open = #"{"id": "open", "title": "Open", "questions": [{"id": "q1", "text": "?"}]}"#
    private static let drawn =
        #"{"id": "С картинкой", "title": "Drawn", "answerKey": {"q1": "x"}, "#
        + #""questions": [{"id": "q1", "text": "?", "media": [{"path": "media/a b.png", "type": "image/png"}]}]}"#

    private struct List: Decodable {
        struct Item: Decodable {
            var id, url: String
            var digest: Digest
            var media: [String]?
        }
        var questionnaires: [Item]
    }

    private func list(_ ground: RemoteFixture) async throws -> (List, RemoteReply) {
        let reply = try await ground.remote.get(ground.remote.listURL, fields: HTTPFields(), maximumBytes: 1 << 20)
        #expect(reply.status == 200)
        return (try DocumentCoding.decode(List.self, from: reply.body), reply)
    }

    @Test(
        "the list names every questionnaire with its digest, and its URL is the one that is made from the id",
        arguments: RemoteKind.allCases)
    func reading(_ kind: RemoteKind) async throws {
        try await RemoteFixture.with(kind) { ground in
            try ground.publish("a.json", Self.open)
            try ground.publish("b.json", Self.drawn)
            try ground.publish("media/a b.png", "picture")
            try await ground.collect()
            let remote = ground.remote
            var list = try await self.list(ground).0
            // A host of a bucket looks for changes a few times a second.
            while kind == .httpOfShared,
                list.questionnaires.count < 2 || list.questionnaires.compactMap(\.media).isEmpty
            {
                try await Task.sleep(for: .milliseconds(20))
                list = try await self.list(ground).0
            }
            #expect(Set(list.questionnaires.map(\.id)) == ["open", "С картинкой"])
            for item in list.questionnaires {
                let url = try #require(RemoteURL.resolve(item.url, against: remote.listURL))
                #expect(url == remote.documentURL(id: item.id))
                let reply = try await remote.get(url, fields: HTTPFields(), maximumBytes: 1 << 20)
                #expect(reply.status == 200 && Digest(sha256Of: reply.body) == item.digest)
                #expect(!String(decoding: reply.body, as: UTF8.self).contains("answerKey"))
                for medium in item.media ?? [] {
                    let picture = try #require(RemoteURL.resolve(medium, against: remote.listURL))
                    #expect(picture == Fetcher.mediaURL(Media(path: "media/a b.png"), documentURL: url))
                    let reply = try await remote.get(picture, fields: HTTPFields(), maximumBytes: 1 << 20)
                    #expect(reply.body == Array("picture".utf8) && reply.fields[.contentType] == "image/png")
                }
            }
            #expect(list.questionnaires.compactMap(\.media).count == 1)
        }
    }

    @Test(
        "a validator that still holds is answered with 304 and nothing else, an outdated one with what is new",
        arguments: RemoteKind.allCases)
    func conditions(_ kind: RemoteKind) async throws {
        try await RemoteFixture.with(kind) { ground in
            try ground.publish("a.json", Self.open)
            try await ground.collect()
            let (_, first) = try await list(ground)
            var fields = HTTPFields()
            let tag: String = try #require(first.fields[.eTag])
            fields[.ifNoneMatch] = tag
            let again = try await ground.remote.get(ground.remote.listURL, fields: fields, maximumBytes: 1 << 20)
            #expect(again.status == 304 && again.body.isEmpty)
            try ground.publish("b.json", Self.drawn)
            try await ground.collect()
            var changed = try await ground.remote.get(ground.remote.listURL, fields: fields, maximumBytes: 1 << 20)
            // Hosts of a bucket look for changes a few times a second.
            while kind.isShared, changed.status == 304 {
                try await Task.sleep(for: .milliseconds(20))
                changed = try await ground.remote.get(ground.remote.listURL, fields: fields, maximumBytes: 1 << 20)
            }
            #expect(changed.status == 200 && changed.fields[.eTag] != first.fields[.eTag])
        }
    }

    @Test(
        "what is not there is 404, what is longer than allowed is refused, and nothing else can be read",
        arguments: RemoteKind.allCases)
    func bounds(_ kind: RemoteKind) async throws {
        try await RemoteFixture.with(kind) { ground in
            try ground.publish("a.json", Self.open)
            try await ground.collect()
            let remote = ground.remote
            let missing = try await remote.get(remote.documentURL(id: "none"), fields: HTTPFields(), maximumBytes: 1000)
            #expect(missing.status == 404)
            await #expect(throws: RemoteFailure.self) {
                _ = try await remote.get(remote.documentURL(id: "open"), fields: HTTPFields(), maximumBytes: 10)
            }
            for url in ["file:///etc/passwd", "http://127.0.0.1:1/x", "file://\(ground.root)/data/lock"] {
                await #expect(throws: RemoteFailure.self, "\(url)") {
                    _ = try await remote.get(url, fields: HTTPFields(), maximumBytes: 1000)
                }
            }
        }
    }

    @Test("the same bytes under the same id are stored once and give the same receipt", arguments: RemoteKind.allCases)
    func idempotent(_ kind: RemoteKind) async throws {
        try await RemoteFixture.with(kind) { ground in
            try ground.publish("a.json", Self.open)
            let test = try RemoteFixture.test()
            let remote = ground.remote
            for _ in 0..<2 {
                let reply = try await remote.put(test.id, bytes: test.bytes, digest: test.digest)
                // Kept where no host is there to acknowledge it.
                #expect(kind.isCollected ? reply.status == 202 : [200, 201].contains(reply.status))
                let known = try await ground.receipts([test.id, .random()])
                #expect(known.delivered.union(known.kept) == [test.id])
                #expect(known.delivered.isEmpty == (kind.isCollected))
            }
            let report = try await ground.collect()
            #expect(report == nil || report?.taken == [test.id])
            var receipts: Set<[UInt8]> = []
            for _ in 0..<3 {
                let reply = try await remote.put(test.id, bytes: test.bytes, digest: test.digest)
                #expect(reply.status == 200)
                receipts.insert(reply.body)
                try await ground.collect()
            }
            #expect(receipts.count == 1)
            #expect(try await ground.receipts([test.id]).delivered == [test.id])
        }
    }

    @Test("other bytes under a known id are 409, before a host has seen them and after", arguments: RemoteKind.allCases)
    func conflict(_ kind: RemoteKind) async throws {
        try await RemoteFixture.with(kind) { ground in
            try ground.publish("a.json", Self.open)
            let test = try RemoteFixture.test()
            let other = try RemoteFixture.test(test.id, answer: "no")
            _ = try await ground.remote.put(test.id, bytes: test.bytes, digest: test.digest)
            for _ in 0..<2 {
                let reply = try await ground.remote.put(other.id, bytes: other.bytes, digest: other.digest)
                #expect(reply.status == 409 && reply.fields[.contentType] == "application/problem+json")
                try await ground.collect()
            }
        }
    }

    @Test("when it is gone that is known at once, and nothing is said to have arrived", arguments: RemoteKind.allCases)
    func away(_ kind: RemoteKind) async throws {
        try await RemoteFixture.with(kind) { ground in
            #expect(ground.remote.presence() == (kind == .inMemory ? .likely : .certain))
            try await ground.takeAway()
            guard case .away = ground.remote.presence() else {
                Issue.record("it is taken to be there")
                return
            }
            let test = try RemoteFixture.test()
            do throws(RemoteFailure) {
                _ = try await ground.remote.put(test.id, bytes: test.bytes, digest: test.digest)
                Issue.record("it was taken")
            } catch {
                #expect(error.kind == .unreachable && !error.mayHaveArrived)
            }
        }
    }
}
