import Disk
import Foundation
import Model
import OutboxStore
import Quire
import SystemPackage
import Testing

@Suite("Queries that go on")
struct LiveQueryTests {
    private let root: FilePath
    private let store: QuireStore
    /// As another process has it open.
    private let other: QuireStore

    init() throws {
        root = FilePath("/var/tmp/quire-live-\(TestID.random())")
        store = try QuireStore.create(at: root, settings: StoreSettings(remote: nil, deviceId: "tablet"))
        other = try QuireStore.open(at: root)
    }

    private func remove() { try? FileManager.default.removeItem(atPath: root.string) }

    private func begin(_ title: String) throws -> TestID {
        let reference = QuestionnaireReference(id: title, title: title, digest: Digest(sha256Of: [1]))
        return try other.outbox.edits.begin(reference, deviceID: "tablet").record.id
    }

    @Test("the tests are given at once, and again after each change that another makes")
    func tests() async throws {
        defer { remove() }
        var results = store.liveTests().makeAsyncIterator()
        #expect(try await results.next()?.isEmpty == true)
        let first = try begin("B")
        #expect(try await results.next()?.map(\.item.id) == [first])
        let second = try begin("A")
        #expect(try await results.next()?.map(\.item.id) == [first, second])
        // Renamed by hand.
        let moved = OutboxItem(id: first, status: .done).path
        #expect(
            rename(root.pushing(OutboxItem(id: first, status: .empty).path).string, root.pushing(moved).string) == 0)
        var statuses: Set<TestStatus> = []
        while statuses != [.done, .empty] { statuses = Set(try await results.next()?.map(\.item.status) ?? []) }
    }

    @Test("a predicate chooses and an order sorts; changes without effect on the result are not reported")
    func predicate() async throws {
        defer { remove() }
        let title = "A"
        let query = store.liveTests(
            matching: #Predicate { $0.record?.questionnaire.title != title },
            sortedBy: { ($0.record?.questionnaire.title ?? "") > ($1.record?.questionnaire.title ?? "") })
        var results = query.makeAsyncIterator()
        #expect(try await results.next()?.isEmpty == true)
        _ = try begin("A")
        let first = try begin("B")
        #expect(try await results.next()?.map(\.item.id) == [first])
        let second = try begin("C")
        #expect(try await results.next()?.map(\.item.id) == [second, first])
        let empty = TestStatus.empty
        var drafts = store.liveTests(matching: #Predicate { $0.item.status == empty }).makeAsyncIterator()
        #expect(try await drafts.next()?.count == 3)
        // A second iteration starts again.
        var again = query.makeAsyncIterator()
        #expect(try await again.next()?.count == 2)
    }

    @Test("many changes between two reads are one")
    func coalescing() async throws {
        defer { remove() }
        var results = store.liveTests().makeAsyncIterator()
        _ = try await results.next()
        for number in 0..<50 { _ = try begin("\(number)") }
        #expect(try await results.next()?.count == 50)
    }

    @Test("it ends when its task is cancelled")
    func cancelling() async throws {
        defer { remove() }
        let store = store
        let (begun, started) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            var count = 0
            for try await _ in store.liveTests() {
                count += 1
                started.yield()
            }
            return count
        }
        for await _ in begun { break }
        task.cancel()
        #expect(try await task.value == 1)
    }
}
