import Disk
import Model
import Simulation
import SystemPackage
import Testing
import Trials

@testable import OutboxStore

@Suite("Tests from another machine")
struct ImportTests {
    private let here = OutboxWorld()

    private func export(_ world: OutboxWorld, _ filter: OutboxTransfer.ExportFilter = .init()) throws -> [UInt8] {
        var archive: [UInt8] = []
        _ = try world.outbox().transfer.export(filter) { archive += $0 }
        return archive
    }

    private func take(_ archive: [UInt8], _ world: OutboxWorld? = nil) throws -> OutboxTransfer.ImportReport {
        try (world ?? here).outbox().transfer.importTests(OutboxTrials.reading(archive))
    }

    private func version(_ bytes: [UInt8], _ text: String) throws -> [UInt8] {
        var record = try DocumentCoding.decode(TestRecord.self, from: bytes)
        record.answers = Person.answers(text)
        return try DocumentCoding.encode(record)
    }

    private func receipt(_ id: TestID, _ bytes: [UInt8], _ status: TestStatus) throws -> [UInt8] {
        try DocumentCoding.encode(
            Receipt(test: id, digest: Digest(sha256Of: bytes), status: status, receivedAt: ManualClock.start))
    }

    @Test(
        "an outbox that was exported and imported is the same, with its receipts and times, and exports the same bytes")
    func whole() async throws {
        let there = OutboxWorld()
        _ = try there.person().create(.done, Person.answers("Paris"))
        try await there.sweep()
        there.remote.respond { _ in .status(503) }
        _ = try there.person().create(.done, Person.answers("Rome"))
        try await there.sweep()
        _ = try there.person().create(.inProgress, Person.answers("Oslo"))
        let archive = try export(there)
        #expect(try export(there) == archive)
        let report = try take(archive)
        #expect(report.taken.count == 3 && report.conflicts.isEmpty)
        func files(_ world: OutboxWorld) -> [String: [UInt8]] {
            Dictionary(
                uniqueKeysWithValues: world.disk.dump().filter {
                    $0.path.hasPrefix("outbox/") && $0.path.hasSuffix(".json") && !$0.path.contains("sequence")
                }
                .map { ($0.path, $0.bytes) })
        }
        #expect(files(here) == files(there) && files(here).count == 5)
        #expect(try export(here) == archive)
        // Once more changes nothing.
        let before = here.disk.dump().filter { $0.path.hasPrefix("outbox/") }.map(\.path)
        let again = try take(archive)
        #expect(again.known == 3 && again.taken.isEmpty && again.advanced.isEmpty && again.conflicts.isEmpty)
        #expect(here.disk.dump().filter { $0.path.hasPrefix("outbox/") }.map(\.path) == before)
    }

    @Test("only the states and times that were asked for are taken along")
    func filter() async throws {
        let there = OutboxWorld()
        _ = try there.person().create(.done, Person.answers("Paris"))
        try await there.sweep()
        there.disk.clock.advance(by: .seconds(1000))
        let late = try there.person().create(.done, Person.answers("Rome"))
        let moment = there.disk.clock.now
        #expect(try take(try export(there, .init(since: moment))).taken == [late])
        #expect(try take(try export(there, .init(statuses: [.sent]))).taken.count == 1)
    }

    @Test("what was being sent is taken as what waits, and keeps its bytes for ever")
    func sending() async throws {
        let there = OutboxWorld()
        let id = try there.person().create(.done, Person.answers("Paris"))
        let lock = try #require(try there.outbox().queue.acquireSweepLock())
        _ = try there.outbox().queue.claim([OutboxItem(id: id, status: .done)], lock)
        _ = try take(try export(there))
        let item = OutboxItem(id: id, status: .done)
        #expect(try here.outbox().receipt(item)?.delivery?.mayHaveArrived == true)
    }

    @Test("a test that another machine has delivered is delivered here too, with its receipt")
    func learns() async throws {
        let id = try here.person().create(.done, Person.answers("Paris"))
        let archive = try export(here)
        let there = OutboxWorld()
        _ = try take(archive, there)
        try await there.sweep()
        let report = try take(try export(there))
        #expect(report.advanced == [id])
        #expect(try here.outbox().find(id)?.status == .sent)
        #expect(try here.outbox().receipt(OutboxItem(id: id, status: .sent))?.receivedAt != nil)
        #expect(try here.outbox().scan().duplicates.isEmpty)
        #expect(here.disk.filePaths.filter { $0.hasPrefix("outbox/done/") }.isEmpty)
    }

    @Test("what claims to be delivered without the server's word for its bytes is sent again")
    func unproven() async throws {
        let id = try OutboxWorld().person().create(.done, Person.answers("Paris"))
        let there = OutboxWorld()
        #expect(try there.person().create(.done, Person.answers("Paris")) == id)
        let bytes = try there.outbox().read(OutboxItem(id: id, status: .done)).bytes
        let path = OutboxLayout.testPath(id, .rated)
        _ = try take(OutboxTrials.archive([(path, bytes)]))
        #expect(try here.outbox().find(id)?.status == .done)
        try await here.sweep()
        #expect(try here.outbox().find(id)?.status == .sent)
    }

    @Test("two contents under one id are both kept, and the archive can be taken again")
    func versions() throws {
        let id = try here.person().create(.done, Person.answers("Paris"))
        let mine = try here.outbox().read(OutboxItem(id: id, status: .done)).bytes
        let theirs = try version(mine, "Rome")
        let third = try version(mine, "Oslo")
        for _ in 0..<3 { _ = try take(OutboxTrials.archive([(OutboxLayout.testPath(id, .done), theirs)])) }
        #expect(here.disk.contents(OutboxLayout.testPath(id, .done)) == mine)
        #expect(here.disk.contents(OutboxLayout.testPath(id, .conflict)) == theirs)
        #expect(
            try here.outbox().receipt(OutboxItem(id: id, status: .conflict))?.delivery?.reason.contains(
                "another machine") == true)
        // A third one; the first archive afterwards moves nothing.
        for _ in 0..<3 {
            _ = try take(OutboxTrials.archive([(OutboxLayout.testPath(id, .done), third)]))
            _ = try take(OutboxTrials.archive([(OutboxLayout.testPath(id, .done), theirs)]))
        }
        #expect(here.disk.contents(OutboxLayout.testPath(id, .conflict)) == theirs)
        let kept = here.disk.dump().filter { $0.path.hasPrefix("quarantine/") && $0.bytes == third }
        #expect(kept.count == 1)
        // One that the server has takes the place of what waits.
        let path = OutboxLayout.testPath(id, .sent)
        let report = try take(
            OutboxTrials.archive([(path, third), (OutboxLayout.receiptPath(id, .sent), try receipt(id, third, .sent))]))
        #expect(report.conflicts == [id])
        #expect(here.disk.contents(path) == third)
        let everything = Set(here.disk.dump().map(\.bytes))
        #expect(everything.isSuperset(of: [mine, theirs, third]))
    }

    @Test("an archive that is refused changes nothing, and its member is named")
    func refused() throws {
        let id = try OutboxWorld().person().create(.done, Person.answers("Paris"))
        let there = OutboxWorld()
        _ = try there.person().create(.done, Person.answers("Paris"))
        let bytes = try there.outbox().read(OutboxItem(id: id, status: .done)).bytes
        let good = OutboxLayout.testPath(id, .done)
        let cases: [([(FilePath, [UInt8])], String)] = [
            ([(good, bytes), ("store.json", bytes)], "store.json"),
            ([(good, bytes), ("outbox/done/notes.txt", bytes)], "notes.txt"),
            ([(good, bytes), ("outbox/../store.json", bytes)], ".."),
            ([(good, bytes), ("/outbox/reserve", bytes)], "absolute"),
            ([(good, bytes), ("outbox/done/a/b", bytes)], "done/a/b"),
            ([(good, bytes), ("outbox/done", bytes)], "outbox/done"),
            ([(good, bytes), (good, bytes)], "twice"),
            ([(good, bytes), (FilePath("./" + good.string), bytes)], "twice"),
            ([(good, bytes), ("outbox/reserve", []), ("outbox/reserve", [])], "twice"),
            ([(good, Array(bytes.dropLast(9)))], id.description),
            (
                [
                    (OutboxLayout.testPath(id, .sent), bytes),
                    (OutboxLayout.receiptPath(id, .sent), try receipt(id, bytes + [1], .sent)),
                ], "receipt"
            ),
            ([(good, [UInt8](repeating: 0x20, count: 5 << 20))], "more than"),
        ]
        let before = here.disk.dump().map(\.path)
        for (files, word) in cases {
            #expect("\(word)") { _ = try take(OutboxTrials.archive(files)) } throws: {
                "\($0)".contains(word) && $0 is TarFault
            }
            #expect(try here.outbox().scan().items.isEmpty)
        }
        #expect(here.disk.filePaths.allSatisfy { !$0.hasPrefix("outbox/tmp/") })
        #expect(before.allSatisfy { path in here.disk.dump().contains { $0.path == path } })
    }

    @Test("an archive with a change that lies where none may, or shares its id, is refused, and its member is named")
    func refusedChanges() throws {
        let there = OutboxWorld()
        let document = Array("{\"id\": \"mine\", \"title\": \"Mine\", \"questions\": []}".utf8)
        let id = try there.outbox().localChanges.add(deviceID: Person.device) { id, now, sequence in
            .questionnaire(
                QuestionnaireChange(
                    id: id, action: .create, questionnaire: "mine", title: "Mine", dateChanged: now,
                    deviceId: Person.device, sequence: sequence, document: document))
        }.item.id
        let bytes = try #require(there.disk.contents(OutboxLayout.path(id, .questionnaire, .done)))
        let test = try there.person().create(.done, Person.answers("Paris"))
        let record = try there.outbox().read(OutboxItem(id: test, status: .done)).bytes
        let good = OutboxLayout.path(id, .questionnaire, .done)
        let same = String(decoding: record, as: UTF8.self).replacing(test.description, with: id.description)
        let cases: [([(FilePath, [UInt8])], String)] = [
            ([(OutboxLayout.path(id, .questionnaire, .empty), bytes)], "never in empty"),
            ([(OutboxLayout.path(id, .questionnaire, .rated), bytes)], "never in rated"),
            ([(good, bytes), (OutboxLayout.path(id, .test, .done), Array(same.utf8))], "twice"),
            ([(good, bytes), (FilePath("outbox/done/\(id).theirs.json"), document)], "never in done"),
            ([(OutboxLayout.path(test, .questionnaire, .done), bytes)], "not the file's name"),
            ([(good, Array(bytes.dropLast(9)))], id.description),
        ]
        for (files, word) in cases {
            #expect("\(word)") { _ = try take(OutboxTrials.archive(files)) } throws: {
                "\($0)".contains(word) && $0 is TarFault
            }
            #expect(try here.outbox().scan().items.isEmpty)
        }
    }

    @Test(
        "what becomes of a test is decided by where it stands there and here",
        arguments: [
            (TestStatus.done, nil, nil, ImportDecision.take),
            (.done, .init(status: .inProgress, hasSameBytes: true), nil, .advance(from: .inProgress)),
            (.done, .init(status: .inProgress, hasSameBytes: false), nil, .displace(.inProgress)),
            (.done, .init(status: .done, hasSameBytes: true), nil, .known(.done)),
            (.done, .init(status: .done, hasSameBytes: false), nil, .setAside),
            (.done, .init(status: .done, hasSameBytes: false), true, .known(.conflict)),
            (.done, .init(status: .rated, hasSameBytes: true), nil, .known(.rated)),
            (.rated, .init(status: .done, hasSameBytes: true), false, .advance(from: .done)),
            (.rated, .init(status: .done, hasSameBytes: false), true, .displace(.done)),
            (.conflict, .init(status: .done, hasSameBytes: false), nil, .setAside),
            (.conflict, .init(status: .done, hasSameBytes: false), false, .setAside),
            (.done, nil, true, .known(.conflict)),
            (.done, nil, false, .take),
            (.sent, nil, true, .advance(from: .conflict)),
            (.conflict, nil, false, .setAside),
            (
                .inProgress, .init(status: .inProgress, hasSameBytes: false, isOutdated: true), nil,
                .replace(.inProgress)
            ),
            (.done, .init(status: .inProgress, hasSameBytes: false, isOutdated: true), nil, .replace(.inProgress)),
            (.inProgress, .init(status: .done, hasSameBytes: true, isOutdated: true), nil, .replace(.done)),
            (.sent, .init(status: .done, hasSameBytes: true, isOutdated: true), nil, .advance(from: .done)),
        ] as [(TestStatus, ImportDecision.Version?, Bool?, ImportDecision)])
    func decisions(
        _ arriving: TestStatus, _ known: ImportDecision.Version?, _ conflict: Bool?, _ decision: ImportDecision
    ) {
        #expect(ImportDecision.decide(arriving: arriving, known: known, conflict: conflict) == decision)
    }
}
