import Disk
import Foundation
import Model
import OutboxStore
import Quire
import Simulation
import SystemPackage
import Testing

/// Changes by people and programs to a store's files during a query.
@Suite("What a query that goes on notices", .timeLimit(.minutes(30)))
struct LiveChangeTests {
    private let folder: FilePath
    private let root: FilePath
    private let clock = ManualClock()
    private let store: QuireStore
    private let remote: FaultyRemote

    init() throws {
        folder = FilePath("/var/tmp/quire-live-\(TestID.random())")
        root = folder.appending("store")
        store = try QuireStore.create(
            at: root, settings: StoreSettings(remote: FaultyRemote.origin, deviceId: "tablet"), clock: clock)
        remote = FaultyRemote(clock: clock)
    }

    private func remove() { try? FileManager.default.removeItem(atPath: folder.string) }

    private func move(_ path: FilePath, to target: FilePath) throws {
        try FileManager.default.moveItem(atPath: root.pushing(path).string, toPath: root.pushing(target).string)
    }

    private func copy(_ path: FilePath, to target: FilePath) throws {
        try FileManager.default.copyItem(atPath: root.pushing(path).string, toPath: root.pushing(target).string)
    }

    @discardableResult
    private func begin() throws -> TestID {
        let reference = QuestionnaireReference(id: "a", title: "A", digest: Digest(sha256Of: [1]))
        return try QuireStore.open(at: root).outbox.edits.begin(reference, deviceID: "tablet").record.id
    }

    /// Follows the results until one is as it is to be; a change that is missed runs into the time limit.
    private func follow<Element>(
        _ results: inout LiveQuery<Element>.Iterator, until isWanted: ([Element]) -> Bool
    ) async throws {
        while let found = try await results.next() {
            if isWanted(found) { return }
        }
        Issue.record("the query ended")
    }

    @Test("an outbox that is taken away, restored, and put in another's place; and what comes into it then")
    func restored() async throws {
        defer { remove() }
        let first = try begin()
        var results = store.liveTests().makeAsyncIterator()
        try await follow(&results) { $0.map(\.item.id) == [first] }
        try copy("outbox", to: "copy")
        try FileManager.default.removeItem(atPath: root.pushing("outbox").string)
        try await follow(&results, until: \.isEmpty)
        try move("copy", to: "outbox")
        try await follow(&results) { $0.map(\.item.id) == [first] }
        let second = try begin()
        try await follow(&results) { Set($0.map(\.item.id)) == [first, second] }
        // Without a check in between.
        try move("outbox", to: "old")
        try copy("old", to: "outbox")
        try FileManager.default.removeItem(
            atPath: root.pushing(OutboxItem(id: first, status: .empty).path).string)
        try await follow(&results) { $0.map(\.item.id) == [second] }
        // Changes in the folder that is no longer the outbox are ignored; those in the outbox count.
        let third = try begin()
        try await follow(&results) { Set($0.map(\.item.id)) == [second, third] }
    }

    @Test("the first test in a store that was copied without its outbox")
    func withoutOutbox() async throws {
        defer { remove() }
        try FileManager.default.removeItem(atPath: root.pushing("outbox").string)
        var results = store.liveTests().makeAsyncIterator()
        #expect(try await results.next()?.isEmpty == true)
        let id = try begin()
        try await follow(&results) { $0.map(\.item.id) == [id] }
    }

    @Test("a store that is removed ends its queries with an error that says so, once")
    func removed() async throws {
        defer { remove() }
        var results = store.liveTests().makeAsyncIterator()
        #expect(try await results.next()?.isEmpty == true)
        remove()
        await #expect(throws: StoreError.noStore(root)) {
            while try await results.next() != nil {}
        }
        #expect(try await results.next() == nil)
        var late = store.liveLibrary().makeAsyncIterator()
        await #expect(throws: StoreError.noStore(root)) { _ = try await late.next() }
    }

    @Test("what happens in a store whose own folder was moved, so that its path leads nowhere")
    func moved() async throws {
        defer { remove() }
        var results = store.liveTests().makeAsyncIterator()
        #expect(try await results.next()?.isEmpty == true)
        try FileManager.default.moveItem(atPath: root.string, toPath: folder.appending("elsewhere").string)
        var late = store.liveTests().makeAsyncIterator()
        #expect(try await late.next()?.isEmpty == true)
        let reference = QuestionnaireReference(id: "a", title: "A", digest: Digest(sha256Of: [1]))
        let id = try store.outbox.edits.begin(reference, deviceID: "tablet").record.id
        try await follow(&results) { $0.map(\.item.id) == [id] }
        try await follow(&late) { $0.map(\.item.id) == [id] }
        // The folder that it lies in now is another one, and that it is removed there is noticed, too.
        remove()
        await #expect(throws: StoreError.noStore(root)) {
            while try await results.next() != nil {}
        }
    }

    @Test("a document in the cache that is edited by hand, in place or by mv, and one that is removed")
    func documents() async throws {
        defer { remove() }
        func document(_ id: String, _ title: String) -> String {
            #"{"id": "\#(id)", "title": "\#(title)", "questions": [{"id": "q1", "text": "What?"}]}"#
        }
        var results = store.liveLibrary().makeAsyncIterator()
        #expect(try await results.next()?.isEmpty == true)
        remote.publish("a", document("a", "Ants"))
        remote.publish("b", document("b", "Bees"))
        _ = try await store.puller(remote).pull()
        try await follow(&results) { $0.map(\.title) == ["Ants", "Bees"] && $0.allSatisfy(\.record.isPresent) }
        var found = store.liveSearch("wasps").makeAsyncIterator()
        #expect(try await found.next()?.isEmpty == true)

        let blobs = try store.library().map { root.pushing($0.record.blob.path).string }
        // In place; a document need not be packed as it was, nor as its name says.
        let edited = try Gzip.compress(Array(document("a", "Wasps").utf8))
        let file = try #require(FileHandle(forWritingAtPath: blobs[0]))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: edited)
        try file.close()
        try await follow(&results) { $0.contains { $0.title == "Wasps" && $0.record.isEdited } }
        try await follow(&found) { $0.map(\.title) == ["Wasps"] }

        try Data(try Gzip.compress(Array(document("b", "Bumblebees").utf8)))
            .write(to: URL(filePath: folder.appending("new").string))
        #expect(rename(folder.appending("new").string, blobs[1]) == 0)
        try await follow(&results) { $0.contains { $0.title == "Bumblebees" } }

        // An edit that was noticed lies under the name of what it is now.
        let last = try #require(try store.library().first { $0.title == "Bumblebees" })
        try FileManager.default.removeItem(atPath: root.pushing(last.record.blob.path).string)
        try await follow(&results) { $0.contains { !$0.record.isPresent } }
    }

    @Test("a change, in every one of more queries than a user may have inotify instances")
    func many() async throws {
        defer { remove() }
        var all: [LiveQuery<QuireStore.TestLine>.Iterator] = []
        for _ in 0..<150 {
            var results = store.liveTests().makeAsyncIterator()
            #expect(try await results.next()?.isEmpty == true)
            all.append(results)
        }
        let id = try begin()
        for index in all.indices { try await follow(&all[index]) { $0.map(\.item.id) == [id] } }
        let instances = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == "anon_inode:inotify"
        }
        #expect(instances.count <= 1)
    }

    @Test("a file system that does not report changes fails at once, not after a first result")
    func silent() async throws {
        defer { remove() }
        let silent = try await StoreFixture().store
        var results = silent.liveTests().makeAsyncIterator()
        let failure = await #expect(throws: FileError.self) { _ = try await results.next() }
        #expect(failure?.description.contains("does not report changes") == true)
    }

    @Test("nothing, when its task was cancelled before it began")
    func cancelled() async throws {
        defer { remove() }
        let store = store
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var count = 0
            for try await _ in store.liveTests() { count += 1 }
            return count
        }
        #expect(try await task.value == 0)
    }
}
