import Disk
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import Model
import Simulation
import Synchronization
import SystemPackage
import Testing

@testable import Host

@Suite("The index of tests follows the files")
struct TestIndexTests {
    /// How many files were opened.
    private final class Opened: Sendable {
        private let count = Mutex(0)

        func note() { count.withLock { $0 += 1 } }

        func take() -> Int {
            count.withLock { count in
                defer { count = 0 }
                return count
            }
        }
    }

    private func archive(
        _ fixture: HostFixture, isWatched: Bool, opened: Opened = Opened()
    ) throws -> TestArchive {
        try POSIXFileSystem.makeRoot(fixture.data)
        let files = HookedFileSystem(
            try POSIXFileSystem(root: fixture.data),
            onOpen: { _ in
                opened.note()
                return nil
            })
        let catalog = QuestionnaireCatalog(
            folder: fixture.questionnaires, clock: fixture.clock, logger: HostFixture.silence)
        let archive = TestArchive(
            fileSystem: files, catalog: catalog, clock: fixture.clock, logger: HostFixture.silence,
            isWatched: isWatched)
        try archive.makeFolders()
        return archive
    }

    private func store(_ test: TestFile, in archive: TestArchive) throws {
        _ = try archive.store(try TestSubmission(test.bytes, id: test.id))
    }

    private func shell(_ script: String, in folder: FilePath) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script]
        process.currentDirectoryURL = URL(filePath: folder.string)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("what changes by hand is in the next list, watched or not", arguments: [true, false])
    func byHand(_ isWatched: Bool) throws {
        let fixture = try HostFixture()
        let archive = try archive(fixture, isWatched: isWatched)
        let tests = try (0..<4).map { try TestFile(questionnaire: "q\($0)") }.sorted { $0.id < $1.id }
        for test in tests { try store(test, in: archive) }
        func listed() throws -> [String] { try archive.lists.list().tests.map { "\($0.id) \($0.status.rawValue)" } }
        #expect(try listed() == tests.map { "\($0.id) sent" })

        // A status in a receipt, edited in place.
        let receipt = "receipts/\(tests[1].id).receipt.json"
        try shell("sed 's/\"sent\"/\"checking\"/' \(receipt) >x && cat x >\(receipt)", in: fixture.data)
        #expect(try listed() == tests.enumerated().map { "\($1.id) \($0 == 1 ? "checking" : "sent")" })
        #expect(try archive.lists.list(.init(status: .checking)).tests.map(\.id) == [tests[1].id])

        try shell("mv tests/\(tests[0].id).test.json kept.json", in: fixture.data)
        #expect(try listed().count == 3)
        try shell("mv kept.json tests/\(tests[0].id).test.json; rm \(receipt)", in: fixture.data)
        #expect(try listed() == tests.map { "\($0.id) sent" })

        // One that is damaged is left out, and is back when it was restored.
        let file = "tests/\(tests[2].id).test.json"
        try shell("cp \(file) good; echo '{' >\(file)", in: fixture.data)
        #expect(try archive.lists.list().tests.map(\.id) == [tests[0], tests[1], tests[3]].map(\.id))
        try shell("cat good >\(file)", in: fixture.data)
        #expect(try archive.lists.list().tests.map(\.id) == tests.map(\.id))

        // A back-up in the place of the folder.
        try shell(
            "cp -r tests other; rm other/\(tests[3].id).test.json; mv tests former; mv other tests", in: fixture.data)
        #expect(try archive.lists.list().tests.map(\.id) == tests.dropLast().map(\.id))
        #expect(try archive.lists.list(.init(questionnaire: "q1")).tests.count <= 1)
    }

    @Test("a second list opens no file, whatever it filters by, and a delivery opens its own alone")
    func cost() throws {
        let fixture = try HostFixture()
        let opened = Opened()
        let archive = try archive(fixture, isWatched: true, opened: opened)
        for number in 0..<300 { try store(try TestFile(questionnaire: "q\(number % 3)"), in: archive) }
        #expect(try archive.lists.list(limit: 10).tests.count == 10)
        _ = opened.take()
        #expect(try archive.lists.list(.init(questionnaire: "none"), limit: 10).tests.isEmpty)
        #expect(try archive.lists.list(.init(status: .sent, questionnaire: "q1"), limit: 200).tests.count == 100)
        #expect(opened.take() == 0)
        let test = try TestFile(questionnaire: "none")
        try store(test, in: archive)
        _ = opened.take()
        #expect(try archive.lists.list(.init(questionnaire: "none"), limit: 10).tests.map(\.id) == [test.id])
        #expect(opened.take() <= 2)
    }

    @Test("pages by a cursor are the whole list, while tests come and go between them")
    func pages() throws {
        let fixture = try HostFixture()
        let archive = try archive(fixture, isWatched: true)
        let tests = try (0..<20).map { _ in try TestFile() }.sorted { $0.id < $1.id }
        for test in tests { try store(test, in: archive) }
        var found: [TestID] = []
        var cursor: String?
        var pages = 0
        while true {
            let (page, hasMore) = try archive.lists.list(after: cursor, limit: 3)
            found += page.map(\.id)
            cursor = page.last.map { $0.id.description } ?? cursor
            pages += 1
            if !hasMore { break }
            // The one that the cursor stands for is taken away; the next page goes on behind its place.
            if pages == 1 { try fixture.remove(fixture.data.appending("tests/\(tests[2].id).test.json")) }
        }
        #expect(found == tests.map(\.id))
    }

    @Test("the files of a test are counted when the list is asked for")
    func attachments() async throws {
        let fixture = try HostFixture()
        let bytes = Array("a photo".utf8)
        let attachment = Attachment(
            id: .random(), questionId: "q1", name: "a.png", mediaType: "image/png", sizeBytes: Int64(bytes.count),
            digest: Digest(sha256Of: bytes))
        let archive = try archive(fixture, isWatched: true)
        var record = try DocumentCoding.decode(TestRecord.self, from: try TestFile().bytes)
        record.attachments = [attachment]
        _ = try archive.store(try TestSubmission(try DocumentCoding.encode(record), id: record.id))
        #expect(try archive.lists.list().tests.first?.media?.missing == 1)
        try fixture.makeFolder(fixture.data.appending("media"))
        try Data(bytes).write(
            to: URL(filePath: fixture.data.appending("media/\(attachment.digest.hex)").string))
        #expect(try archive.lists.list().tests.first?.media == .init(named: 1, missing: 0))
    }

    @Test("the list names the person of each test, and no one where a test names none")
    func people() throws {
        let fixture = try HostFixture()
        let archive = try archive(fixture, isWatched: false)
        for name in ["Ада", nil] {
            var record = try DocumentCoding.decode(TestRecord.self, from: TestFile().bytes)
            record.person = name.map { Person(id: "p-1", name: $0, group: "7б") }
            record.person?.otherFields = ["pin": .string("1234")]
            try store(TestFile(id: record.id, bytes: try DocumentCoding.encode(record)), in: archive)
        }
        let people = try archive.lists.list().tests.map(\.person)
        #expect(Set(people) == [Person(id: "p-1", name: "Ада", group: "7б"), nil])
    }

    @Test("questionnaires whose ids differ in their bytes alone have their own tests, also after a rating")
    func sameInMeaning() {
        var state = TestIndex.State()
        let ids = ["e\u{301}", "\u{E9}"]
        var items = ids.map { id in
            TestIndex.Item(
                summary: TestSummary(
                    id: .random(), questionnaire: .init(id: id, title: "The same"), status: .sent, late: false),
                attachments: [], version: Digest(sha256Of: id.utf8), isReturned: false,
                points: QuestionPoints(questions: [], points: []))
        }
        let stamps = TestIndex.Stamps(test: FileStamp(version: 1), receipt: nil)
        func put(_ item: TestIndex.Item) {
            let change = state.put(item, stamps, of: item.summary.id)
            state.orders.apply(removed: [change.former].compactMap(\.self), added: [change.item].compactMap(\.self))
        }
        items.forEach(put)
        #expect(state.unsaved == Set(items.map(\.summary.id)))
        state.unsaved = []
        items[1].summary.status = .rated
        put(items[1])
        put(items[0])
        #expect(state.unsaved == [items[1].summary.id], "what is as it was is no change")
        for (item, id) in zip(items, ids) {
            #expect(state.orders.ids(status: nil, questionnaire: id) == [item.summary.id])
            #expect(state.orders.ids(status: item.summary.status, questionnaire: id) == [item.summary.id])
            #expect(state.tests.item(item.summary.id)?.summary.questionnaire.id.utf8.elementsEqual(id.utf8) == true)
        }
        #expect(state.orders.ids(status: .sent, questionnaire: ids[1]).isEmpty)
    }

    @Test("orders of many tests are those of the tests one by one")
    func orders() {
        var generator = SystemRandomNumberGenerator()
        var known: [TestID: TestSummary] = [:]
        var orders = TestOrders()
        for _ in 0..<40 {
            let count = Int.random(in: 0...600, using: &generator)
            let added = (0..<count).map { _ in
                TestSummary(
                    id: .random(), questionnaire: .init(id: "q\(Int.random(in: 0...2, using: &generator))", title: ""),
                    status: Bool.random() ? .sent : .rated, late: false)
            }
            let removed = Array(known.values.shuffled().prefix(Int.random(in: 0...400, using: &generator)))
            for summary in removed { known[summary.id] = nil }
            for summary in added { known[summary.id] = summary }
            orders.apply(removed: removed.map(TestOrders.Entry.init), added: added.map(TestOrders.Entry.init))
            let sorted = known.values.sorted { $0.id < $1.id }
            #expect(orders.ids(status: nil, questionnaire: nil) == sorted.map(\.id))
            #expect(
                orders.ids(status: .rated, questionnaire: "q1")
                    == sorted.filter { $0.status == .rated && $0.questionnaire.id == "q1" }.map(\.id))
        }
    }
}
