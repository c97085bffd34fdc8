import Model
import MotoServer
import ObjectStores
import Synchronization
import Testing

/// The contract of `ObjectStore`: what the doc comment of the protocol promises.
@Suite("Every object store keeps the contract", .serialized)
struct ObjectStoreContractTests {
    @Test("the contract is run against S3, too", .enabled(if: MotoServer.isInstalled, "moto cannot be had here"))
    func withMoto() { #expect(ObjectStoreKind.here.contains(.s3)) }

    // MARK: - Put

    @Test("a put makes an object, and a second one leaves it as it is", arguments: ObjectStoreKind.here)
    func createOnly(_ kind: ObjectStoreKind) async throws {
        try await kind.run { (store) async throws in
            #expect(try await store.putIfAbsent(name("tests/a.json"), bytes("one")) == .created)
            #expect(try await store.putIfAbsent(name("tests/a.json"), bytes("two")) == .exists)
            #expect(try await store.putIfAbsent(name("tests/a.json"), bytes("one")) == .exists)
            #expect(try await store.text("tests/a.json") == "one")
            #expect(try await store.names() == ["tests/a.json"])
        }
    }

    @Test("of many writers of one name exactly one makes the object", arguments: ObjectStoreKind.here)
    func oneWinner(_ kind: ObjectStoreKind) async throws {
        try await kind.run { (store) async throws in
            for round in 0..<5 {
                let object = try name("changes/\(round).json")
                let winners = try await withThrowingTaskGroup(of: String?.self) { group in
                    for writer in 0..<8 {
                        group.addTask {
                            let outcome = try await store.putIfAbsent(object, bytes("writer \(writer)"))
                            return outcome == .created ? "writer \(writer)" : nil
                        }
                    }
                    return try await group.reduce(into: []) { all, one in all += one.map { [$0] } ?? [] }
                }
                #expect(winners.count == 1)
                #expect(try await store.text(object.text) == winners.first)
            }
        }
    }

    @Test("an object may be empty", arguments: ObjectStoreKind.here)
    func empty(_ kind: ObjectStoreKind) async throws {
        try await kind.run { (store) async throws in
            #expect(try await store.putIfAbsent(name("a"), []) == .created)
            #expect(try await store.putIfAbsent(name("a"), []) == .exists)
            #expect(try await store.text("a") == "")
            #expect(try await store.head(name("a"))?.sizeBytes == 0)
            let part = try await store.get(name("a"), range: 0..<5)
            #expect(part?.range == 0..<0)
            #expect(try await part?.bytes() == [])
        }
    }

    @Test("long content goes in and comes out piece by piece", arguments: ObjectStoreKind.here)
    func long(_ kind: ObjectStoreKind) async throws {
        try await kind.run { (store) async throws in
            let content = (0..<900_001).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }
            let object = try name("media/" + Digest(sha256Of: content).hex)
            let longest = Mutex(0)
            let long = ObjectContent(sizeBytes: Int64(content.count), digest: Digest(sha256Of: content)) {
                offset, count in
                longest.withLock { $0 = max($0, count) }
                return Array(content[Int(offset)..<min(content.count, Int(offset) + count)])
            }
            #expect(try await store.putIfAbsent(object, long) == .created)
            #expect(longest.withLock { $0 } <= 256 << 10)
            #expect(try await store.putIfAbsent(object, long) == .exists)
            let body = try #require(try await store.get(object, range: nil))
            #expect(body.sizeBytes == 900_001)
            var read: [UInt8] = []
            while let piece = try await body.next() {
                #expect((1...1 << 20).contains(piece.count))
                read += piece
            }
            #expect(read == content)
        }
    }

    @Test("content that is not what its digest says makes no object", arguments: ObjectStoreKind.here)
    func otherContent(_ kind: ObjectStoreKind) async throws {
        try await kind.run { (store) async throws in
            for digest in [Digest(sha256Of: bytes("abcdef")), Digest(sha256Of: [])] {
                let content = ObjectContent(sizeBytes: 6, digest: digest) { offset, count in
                    // A file that was changed, or became shorter.
                    digest == Digest(sha256Of: []) ? (offset == 0 ? bytes("abc") : []) : bytes("abcdeF")
                }
                await #expect(throws: ObjectStoreError.self) {
                    _ = try await store.putIfAbsent(name("a"), content)
                }
            }
            #expect(try await store.head(name("a")) == nil)
            #expect(try await store.names() == [])
        }
    }

    @Test(
        "a put once counts as done where the same bytes are there, and not where others are",
        arguments: ObjectStoreKind.here)
    func putOnce(_ kind: ObjectStoreKind) async throws {
        try await kind.run { (store) async throws in
            #expect(try await store.putOnce(name("a"), bytes("one")))
            #expect(try await store.putOnce(name("a"), bytes("one")))
            #expect(try await store.putOnce(name("a"), bytes("two")) == false)
            #expect(try await store.putOnce(name("a"), bytes("longer")) == false)
            #expect(try await store.text("a") == "one")
        }
    }

    // MARK: - Get, head, delete

    @Test("a part of an object ends where the object does", arguments: ObjectStoreKind.here)
    func ranges(_ kind: ObjectStoreKind) async throws {
        try await kind.run { (store) async throws in
            _ = try await store.putIfAbsent(name("a/b"), bytes("0123456789"))
            let cases: [(Range<Int64>, String)] = [
                (0..<1, "0"), (3..<6, "345"), (9..<10, "9"), (8..<100, "89"), (0..<10, "0123456789"), (10..<12, ""),
                (100..<200, ""), (4..<4, ""),
            ]
            for (range, text) in cases {
                let body = try #require(try await store.get(name("a/b"), range: range))
                #expect(body.sizeBytes == 10)
                #expect(try await body.bytes() == bytes(text), "\(range)")
            }
        }
    }

    @Test("a missing object is an answer", arguments: ObjectStoreKind.here)
    func missing(_ kind: ObjectStoreKind) async throws {
        try await kind.run { (store) async throws in
            _ = try await store.putIfAbsent(name("a/b"), bytes("x"))
            for missing in ["b", "a", "a/c", "a/b/c", "c/d/e"] {
                #expect(try await store.get(name(missing), range: nil) == nil)
                #expect(try await store.get(name(missing), range: 0..<4) == nil)
                #expect(try await store.head(name(missing)) == nil)
                try await store.delete(name(missing))
            }
            #expect(try await store.text("a/b") == "x")
        }
    }

    @Test("a status has the size, and a time", arguments: ObjectStoreKind.here)
    func status(_ kind: ObjectStoreKind) async throws {
        try await kind.run { (store) async throws in
            _ = try await store.putIfAbsent(name("a/b"), bytes("12345"))
            let head = try #require(try await store.head(name("a/b")))
            #expect(head.name.text == "a/b")
            #expect(head.sizeBytes == 5)
            let listed = try await store.list(prefix: "", after: nil, limit: 10)
            #expect(listed.map(\.name.text) == ["a/b"])
            #expect(listed.map(\.sizeBytes) == [5])
            let body = try #require(try await store.get(name("a/b"), range: nil))
            for other in [listed[0].modified, body.modified] {
                #expect(abs(other.millisecondsSinceEpoch - head.modified.millisecondsSinceEpoch) < 1000)
            }
        }
    }

    @Test("what is deleted is gone, and may be made again", arguments: ObjectStoreKind.here)
    func delete(_ kind: ObjectStoreKind) async throws {
        try await kind.run { (store) async throws in
            _ = try await store.putIfAbsent(name("a/b"), bytes("one"))
            _ = try await store.putIfAbsent(name("a/c"), bytes("other"))
            try await store.delete(name("a/b"))
            #expect(try await store.head(name("a/b")) == nil)
            #expect(try await store.names() == ["a/c"])
            try await store.delete(name("a/b"))
            #expect(try await store.putIfAbsent(name("a/b"), bytes("two")) == .created)
            #expect(try await store.text("a/b") == "two")
        }
    }

    // MARK: - List

    @Test("a list is in the order of bytes, from after a name on, and bounded", arguments: ObjectStoreKind.here)
    func lists(_ kind: ObjectStoreKind) async throws {
        try await kind.run { (store) async throws in
            let ordered = [
                "A", "a-b", "a.json", "a/b", "a/b-c", "a/c/d", "a/c/e", "a/c0", "a0", "aa", "b/é", "b/я", "c",
            ]
            for text in ordered.reversed() { _ = try await store.putIfAbsent(name(text), bytes(text)) }
            #expect(try await store.names() == ordered)
            #expect(try await store.names("a/") == ["a/b", "a/b-c", "a/c/d", "a/c/e", "a/c0"])
            #expect(try await store.names("a/c") == ["a/c/d", "a/c/e", "a/c0"])
            #expect(try await store.names("a/c/") == ["a/c/d", "a/c/e"])
            #expect(try await store.names("z") == [])
            #expect(try await store.names("a", after: "a/b") == ["a/b-c", "a/c/d", "a/c/e", "a/c0", "a0", "aa"])
            // A name that is no object's, between two.
            #expect(try await store.names("", after: "a/c/dd", limit: 3) == ["a/c/e", "a/c0", "a0"])
            #expect(try await store.names("a/", after: "c") == [])
            #expect(try await store.names("a/", after: "A") == ["a/b", "a/b-c", "a/c/d", "a/c/e", "a/c0"])
            for (place, text) in ordered.enumerated() {
                #expect(try await store.names(after: text, limit: 2) == Array(ordered[(place + 1)...].prefix(2)))
            }
        }
    }

    @Test("names keep every character that they may have", arguments: ObjectStoreKind.here)
    func characters(_ kind: ObjectStoreKind) async throws {
        try await kind.run { (store) async throws in
            let names = [
                "a b+c%20d", "a&b=c;d", "a'b\"c", "e\u{301}", "é", "it's <xml> & \u{1F600}", "percent%2Fslash", "q?x#y",
                "~tilde*star(paren)!", String(repeating: "x", count: 255),
            ]
            for text in names {
                let outcome = try await store.putIfAbsent(name(text), bytes(text))
                #expect(outcome == .created)
            }
            let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            let listed = try await store.names()
            #expect(listed.map { Array($0.utf8) } == sorted.map { Array($0.utf8) })
            for text in names {
                let stored = try await store.text(text)
                #expect(stored == text)
            }
        }
    }

    @Test("every object is met once, page by page", arguments: ObjectStoreKind.here)
    func pages(_ kind: ObjectStoreKind) async throws {
        try await kind.run { (store) async throws in
            let count = kind == .memory ? 2003 : 23
            for number in 0..<count { _ = try await store.putIfAbsent(name("changes/\(1000 + number).json"), []) }
            _ = try await store.putIfAbsent(name("changesets/1"), [])
            var met: [String] = []
            try await store.eachObject(prefix: "changes/") { met.append($0.name.text) }
            #expect(met == (0..<count).map { "changes/\(1000 + $0).json" })
        }
    }
}
