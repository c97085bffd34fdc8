import Disk
import Foundation
import Model
import Simulation
import Synchronization
import SystemPackage
import Testing

@testable import Host

@Suite("The file of the index of tests spares a start, and is never believed over the tests")
struct TestIndexFileTests {
    /// The names of the files that were opened.
    private final class Opened: Sendable {
        private let names = Mutex<[String]>([])

        func note(_ path: FilePath) { names.withLock { $0.append(path.string) } }

        /// The tests and receipts among them, since the last call.
        func take() -> [String] {
            names.withLock { names in
                defer { names = [] }
                return names.filter { $0.hasPrefix("tests/") || $0.hasPrefix("receipts/") }
            }
        }
    }

    private let fixture: HostFixture
    private var index: FilePath { fixture.data.appending("index/tests.pb") }

    init() throws {
        fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
    }

    /// A host that was just started.
    private func archive(_ opened: Opened = Opened(), isWatched: Bool = true) throws -> TestArchive {
        try POSIXFileSystem.makeRoot(fixture.data)
        let files = HookedFileSystem(
            try POSIXFileSystem(root: fixture.data),
            onOpen: { path in
                opened.note(path)
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

    private func store(_ record: TestRecord, in archive: TestArchive, provenBy key: String? = nil) throws {
        _ = try archive.store(
            try TestSubmission(try DocumentCoding.encode(record), id: record.id), provenBy: key)
    }

    private func record(_ number: Int) throws -> TestRecord {
        let answers = [
            Answer(questionId: "sky", value: .one(number % 2 == 0 ? "Blue" : "Green")),
            Answer(questionId: "essay", value: .one(number % 3 == 0 ? "" : "All of them.")),
        ]
        var record = try DocumentCoding.decode(TestRecord.self, from: try TestFile(answers: answers).bytes)
        if number % 4 > 0 {
            record.person = Person(id: "p\(number % 4)", name: "Аня \(number % 4)", group: number % 4 == 1 ? nil : "7б")
        }
        if number % 5 == 0 {
            record.attachments = [
                Attachment(
                    id: .random(), questionId: "essay", name: "ёлка.jpg", mediaType: "image/jpeg", sizeBytes: 5,
                    digest: Digest(sha256Of: "photo".utf8))
            ]
        }
        if number % 7 == 0 { record.parent = TestID.random() }
        return record
    }

    /// Files that were written a moment ago are read once more: their time may not distinguish a later write.
    private func age() throws {
        for folder in ["tests", "receipts"] {
            for name in try fixture.names(fixture.data.appending(folder)) {
                try fixture.setTime(
                    of: fixture.data.appending(folder).appending(name), to: fixture.clock.now.adding(seconds: -60))
            }
        }
    }

    /// What lists show, by every test's id.
    private func all(_ archive: TestArchive) throws -> [String: String] {
        let items = try archive.lists.index.page(.init(), after: nil, limit: .max, of: archive.received).items
        return Dictionary(items.map { ("\($0.summary.id)", "\($0)") }, uniquingKeysWith: { first, _ in first })
    }

    /// A host with tests of all sorts that has ended, and what its lists showed.
    private func course(_ count: Int = 40) throws -> [String: String] {
        let archive = try archive()
        let records = try (0..<count).map(record)
        for (number, record) in records.enumerated() {
            try store(record, in: archive, provenBy: number % 4 == 2 ? "p2" : nil)
        }
        try archive.ratings.rate(records[1].id, TeacherRating(verdict: .points(question: "essay", 2, maximum: 3)))
        try archive.ratings.rate(records[2].id, TeacherRating(verdict: .returned, comment: "Say why."))
        try Data("{".utf8).write(to: URL(filePath: fixture.data.appending("tests/\(records[3].id).test.json").string))
        try age()
        let shown = try all(archive)
        #expect(shown.count == count - 1 && archive.lists.index.file?.isWritten == true)
        archive.lists.keepIndex()
        return shown
    }

    @Test("after a start no test is read, and lists show the same")
    func restarted() throws {
        let shown = try course()
        let opened = Opened()
        for isWatched in [true, false] {
            let archive = try archive(opened, isWatched: isWatched)
            _ = opened.take()
            #expect(try all(archive) == shown)
            #expect(opened.take() == [])
            #expect(
                try archive.lists.list(.init(status: .rated)).tests.count
                    == shown.values.count { $0.contains("TestStatus.rated") })
            #expect(try Set(archive.results.overview(of: "colours").entries.map { "\($0.test)" }) == Set(shown.keys))
        }
    }

    @Test("what changed while no host ran is read, and nothing else")
    func changed() throws {
        var shown = try course()
        let ids = shown.keys.sorted()
        let (marked, removed, unrated) = (ids[0], ids[1], ids[2])
        let command = try archive(isWatched: false)
        try command.ratings.rate(try #require(TestID(marked)), TeacherRating(verdict: .returned, comment: "Once more."))
        try fixture.remove(fixture.data.appending("tests/\(removed).test.json"))
        try fixture.remove(fixture.data.appending("receipts/\(unrated).receipt.json"))
        let new = try record(11)
        try store(new, in: command)

        let opened = Opened()
        let archive = try archive(opened)
        _ = opened.take()
        let found = try all(archive)
        let read = opened.take()
        #expect(
            Set(read.compactMap { $0.split(separator: "/").last?.prefix(36) }) == [
                marked[...], unrated[...], removed[...], "\(new.id)"[...],
            ])
        #expect(
            found["\(new.id)"] != nil && found[removed] == nil && found[marked] != shown[marked]
                && found[unrated] != shown[unrated])
        for id in [marked, unrated, removed] { shown[id] = nil }
        #expect(shown.allSatisfy { found[$0.key] == $0.value })
        // It is the same as without the index.
        archive.lists.keepIndex()
        try fixture.remove(index)
        #expect(try all(self.archive()) == found)
    }

    @Test("an earlier index beside later files shows what the files say")
    func outdated() throws {
        _ = try course()
        let former = try Data(contentsOf: URL(filePath: index.string))
        let archive = try archive()
        for id in try archive.received.ids() where (try? archive.receipt(of: id)) != nil {
            try archive.ratings.rate(id, TeacherRating(verdict: .points(question: "essay", 1, maximum: 3)))
        }
        let shown = try all(archive)
        try former.write(to: URL(filePath: index.string))
        #expect(try all(self.archive()) == shown)
    }

    @Test("a damaged file, one of another format, and a folder in its place are as none, and are made again")
    func damaged() throws {
        let shown = try course()
        let file = URL(filePath: index.string)
        let good = Array(try Data(contentsOf: file))
        var broken: [[UInt8]] = [
            [], Array("quire-host-tests 0\n".utf8) + good.dropFirst(19), Array(good.dropLast()), good + [0x0A, 0],
        ]
        for place in stride(from: 0, to: good.count, by: 97) {
            var bytes = good
            bytes[place] ^= 0x10
            broken.append(bytes)
        }
        for bytes in broken {
            try Data(bytes).write(to: file)
            let archive = try archive()
            #expect(try all(archive) == shown)
        }
        let archive = try archive()
        #expect(try all(archive) == shown)
        archive.lists.keepIndex()
        let opened = Opened()
        let again = try self.archive(opened)
        _ = opened.take()
        #expect(try all(again) == shown && opened.take() == [], "it was made again")

        try fixture.remove(index)
        try fixture.makeFolder(index)
        #expect(try all(self.archive()) == shown)
        // The host ends in peace, and lists are right.
        let obstructed = try self.archive()
        #expect(try all(obstructed) == shown)
        obstructed.lists.keepIndex()
    }

    @Test("what lies beside a right checksum is read with care: messages that are none of ours are refused")
    func foreign() throws {
        let shown = try course(10)
        let files = try POSIXFileSystem(root: fixture.data)
        var generator = SeededGenerator(seed: 32)
        for round in 0..<60 {
            let writer = try IndexWriter(TestIndexFile.format, in: HostLayout.index, files)
            for _ in 0..<20 {
                // Fields of this form, with random content.
                var message = FieldWriter()
                for _ in 0..<Int.random(in: 0...6, using: &generator) {
                    let field = UInt64.random(in: 1...20, using: &generator)
                    if Bool.random(using: &generator) {
                        message.add(field, UInt64.random(in: 0...UInt64.max, using: &generator))
                    } else {
                        message.add(
                            field,
                            (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                                UInt8.random(in: 0...255, using: &generator)
                            })
                    }
                }
                try writer.append(FieldWriter.framed(message.bytes))
            }
            try writer.finish(as: HostLayout.testIndex)
            #expect(try all(archive()) == shown, "round \(round)")
        }
    }

    @Test("a host that runs keeps the file when enough has changed, and when it ends; a command never does")
    func kept() async throws {
        let archive = try archive()
        for number in 0..<63 { try store(record(number), in: archive) }
        try archive.lists.prepareLists()
        #expect(!FileManager.default.fileExists(atPath: index.string), "63 changes are few")
        try store(record(64), in: archive)
        try archive.lists.prepareLists()
        #expect(FileManager.default.fileExists(atPath: index.string))
        try fixture.remove(index)
        let command = try fixture.archive()
        #expect(try command.lists.list().tests.count == 64)
        try command.lists.prepareLists()
        command.lists.keepIndex()
        #expect(!FileManager.default.fileExists(atPath: index.string))

        try await fixture.run { _ in }
        #expect(FileManager.default.fileExists(atPath: index.string), "the host ended in order")
    }

    @Test("the name of a person whose tests are gone is not in the file, and other people keep their names")
    func names() throws {
        let first = try archive()
        let records = try (0..<12).map(record)
        for record in records { try store(record, in: first) }
        try age()
        _ = try all(first)
        first.lists.keepIndex()
        func holds(_ name: String) throws -> Bool {
            try Data(contentsOf: URL(filePath: index.string)).range(of: Data(name.utf8)) != nil
        }
        #expect(try holds("Аня 2") && holds("Аня 3"))
        for record in records where record.person?.id == "p2" {
            try fixture.remove(fixture.data.appending("tests/\(record.id).test.json"))
        }
        // The next one gets the number of the former one.
        for start in 0..<2 {
            let archive = try archive()
            if start == 1 {
                var new = try record(0)
                new.person = Person(id: "p9", name: "Ной", group: "8а")
                try store(new, in: archive)
            }
            let shown = try all(archive)
            #expect(shown.count == 9 + start && !shown.values.contains { $0.contains("Аня 2") })
            archive.lists.keepIndex()
            #expect(try !holds("Аня 2") && holds("Аня 3") && holds("Ной") == (start == 1))
            let kept = try Data(contentsOf: URL(filePath: index.string))
            try fixture.remove(index)
            #expect(try all(self.archive()) == shown)
            try kept.write(to: URL(filePath: index.string))
        }
    }

    @Test("an id of a test is the same from its bytes")
    func identity() {
        for id in (0..<50).map({ _ in TestID.random() }) {
            #expect(id.bytes.withUnsafeBytes { TestID(bytes: $0) } == id)
            #expect(id.bytes.map { String(format: "%02x", $0) }.joined() == id.description.replacing("-", with: ""))
        }
        #expect([UInt8](repeating: 0, count: 15).withUnsafeBytes { TestID(bytes: $0) } == nil)
    }
}
