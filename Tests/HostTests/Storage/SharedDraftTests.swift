import AuthorDrafts
import Disk
import InMemory
import Model
import ObjectStores
import SystemPackage
import Testing

@testable import Host

/// Drafts of authors at hosts that share a bucket: nothing keeps two of them from writing at once.
@Suite("Drafts at hosts that share a bucket")
struct SharedDraftTests {
    private let clock = ManualClock()
    private let store: MemoryObjectStore
    private let original = OriginalDocument(id: "exam", bytes: Array("{}".utf8))

    init() { store = MemoryObjectStore(clock: clock) }

    private var bucket: DraftBucket { DraftBucket(HostBucket(store), clock: clock) }
    private var drafts: DraftStore { DraftStore(files: bucket, clock: clock) }

    private func document(_ title: String) -> JSONValue { .object(["title": .string(title)]) }

    private func names() async throws -> [String] {
        try await store.list(prefix: "drafts/", after: nil, limit: 1000).map(\.name.text)
    }

    @Test("of two states with one number the first stays, and the second is refused")
    func sameNumber() async throws {
        try await offload {
            let (one, other) = (drafts, drafts)
            let first = try #require(
                try one.save(AuthorDraft(of: document("A"), id: .random()).next(document("A")), by: "Ada"))
            #expect(try one.save(first.next(document("B")), by: "Ada") != nil)
            #expect(try other.save(first.next(document("C")), by: "Boris") == nil)
            #expect(try other.latest(first.id)?.document == document("B"))
            #expect(try !other.remove(first), "someone has saved since")
        }
    }

    @Test("a published questionnaire has one draft, whichever hosts it is opened at, and a new one after its end")
    func opened() async throws {
        let first = AuthorDraft(of: document("A"), id: .random(), questionnaire: "exam", base: original.digest)
        let opened = try await withThrowingTaskGroup(of: TestID?.self) { group in
            for _ in 0..<8 { group.addTask { try await offload { try drafts.open(first, by: "Ada")?.id } } }
            return try await group.reduce(into: Set<TestID?>()) { $0.insert($1) }
        }
        #expect(opened.count == 1 && opened.first != nil)
        try await offload {
            let known = try #require(try drafts.all().first)
            #expect(try drafts.remove(known))
            #expect(try drafts.all().isEmpty && drafts.latest(known.id) == nil)
            #expect(try drafts.save(known.next(document("B")), by: "Boris") == nil, "it is gone")
            let next = try #require(try drafts.open(first, by: "Boris"))
            #expect(next.id != known.id && next.savedBy == "Boris")
        }
    }

    @Test("a host that was held up gets no number of a state that went meanwhile")
    func heldUp() async throws {
        try await offload {
            var draft = try #require(
                try drafts.save(AuthorDraft(of: document("0"), id: .random()).next(document("0")), by: nil))
            let early = draft
            for number in 1...DraftStore.keptStates + 1 {
                draft = try #require(try drafts.save(draft.next(document("\(number)")), by: nil))
            }
            #expect(try drafts.versions(of: draft.id).first == 3)
            // What it would have written after it had read the first state.
            #expect(try !bucket.put([1], early.version + 1, of: draft.id))
            #expect(try drafts.versions(of: draft.id).first == 3)
            #expect(try drafts.latest(draft.id)?.version == draft.version)
        }
    }

    @Test("what a killed host left of a removed draft goes with the start of another, and its end a month later")
    func leftovers() async throws {
        let draft = try await offload {
            let first = AuthorDraft(of: document("A"), id: .random()).next(document("A"))
            let saved = try #require(try drafts.save(first, by: nil))
            _ = try #require(try drafts.keep([1, 2, 3], type: "image/png", of: saved.id))
            // It was killed before it removed the state and the picture.
            let isEnded = try HostBucket(store).replace(
                HostLayout.drafts.folder(of: saved.id), [], former: FileVersion(bytes: [], number: 1))
            #expect(isEnded)
            #expect(try drafts.all().isEmpty)
            try bucket.recover()
            return saved.id
        }
        #expect(try await names() == ["drafts/\(draft)/0000000002"])
        clock.advance(by: .seconds(31 * 86_400))
        try await offload { try bucket.recover() }
        #expect(try await names().isEmpty)
    }

    @Test("drafts that an earlier version of Quire copied into a bucket are taken over, once")
    func settled() async throws {
        let id = TestID.random()
        let picture = ContentPath(Digest(sha256Of: [1, 2]), mediaType: "image/png")
        let note = "publications/exam-\(Digest(sha256Of: []).hex).json"
        try await offload {
            let files = HostBucket(store)
            let state = AuthorDraft(of: document("A"), id: id).next(document("A")).next(document("B"))
            let former = [
                "drafts/\(id)/2.json": try DocumentCoding.encode(state), "drafts/\(id)/\(picture)": [1, 2],
                "drafts/\(id)/notes.txt": [3], note: [4],
            ]
            for (name, bytes) in former { _ = try files.putIfAbsent(bytes, as: FilePath("folder/" + name)) }
            for _ in 0..<2 { try CopyNames.settle(files) }
            #expect(try drafts.latest(id)?.document == document("B"))
            #expect(try drafts.media(picture, of: id) == [1, 2])
            #expect(try files.bytes(of: FilePath(note), maximumBytes: 10) == [4])
        }
        let left = try await store.list(prefix: "folder/", after: nil, limit: 10).map(\.name.text)
        #expect(left == ["folder/drafts/\(id)/notes.txt"])
    }

    @Test("after the greatest number of a version there is none: that is said, and nothing is written")
    func greatestNumber() async throws {
        let last = try #require(ObjectName("people/list.json/9999999999"))
        _ = try await store.putIfAbsent(last, Array("{}".utf8))
        let error = try await offload {
            #expect(throws: FileError.self) {
                let files = HostBucket(store)
                let known = try files.current(HostLayout.peopleList, maximumBytes: 100)
                #expect(known?.number == ObjectVersion.greatest)
                _ = try files.replace(HostLayout.peopleList, [1], former: known)
            }
        }
        #expect(error?.description.contains("people/list.json has the version 9999999999, after which") == true)
        #expect(try await store.list(prefix: "people/", after: nil, limit: 10).map(\.name) == [last])
    }
}
