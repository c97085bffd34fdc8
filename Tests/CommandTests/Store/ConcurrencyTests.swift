import Foundation
import Testing

/// Promise 4 of the design: any number of processes may use one store at once.
@Suite("Many processes on one store", .serialized)
struct ConcurrencyTests {
    @Test("three processes finish 30 tests each while a fourth syncs in a loop: all are on the host once")
    func finishing() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        try Files.write(Questionnaire.rightAnswers, to: folder.path + "/answers.json")
        let environment = Command.environment(
            home: folder.path, ["QUIRE": Command.binary, "QUIRE_STORE": device.store])
        let writers = try (0..<3).map { _ in
            try ChildProcess(
                [
                    "sh", "-e", "-c",
                    "cd \"$HOME\"; i=0; while [ $i -lt 30 ]; do "
                        + "\"$QUIRE\" take keyed --answers answers.json --finish --json; i=$((i+1)); done",
                ], environment: environment, folder: folder.path)
        }
        var rounds = 0
        while writers.contains(where: \.isRunning) {
            let outcome = try device.quire("sync")
            // 75: others have finished tests meanwhile, which wait for the next round.
            #expect([0, 75].contains(outcome.exitCode) && outcome.errors.isEmpty, "\(outcome)")
            rounds += 1
        }
        #expect(rounds > 1)
        var acknowledged: [String] = []
        for writer in writers {
            let outcome = try writer.end()
            #expect(outcome.exitCode == 0, "\(outcome)")
            acknowledged += try outcome.lines.compactMap { try JSON(parsing: $0)["id"].text }
        }
        #expect(Set(acknowledged).count == 90 && acknowledged.count == 90)
        try device.done("sync")
        #expect(host.tests == acknowledged.sorted())
        #expect(device.tests("rated") == host.tests)
        #expect(device.tests("done").isEmpty && device.tests("sending").isEmpty)
        let puts = host.exchanges.filter { $0.method == "PUT" }
        #expect(puts.count == 90 && puts.allSatisfy { $0.status == 201 })
        // The device numbered them without a gap or a double.
        let sequences = try host.tests.compactMap {
            try JSON(file: "\(host.data)/tests/\($0).test.json")["sequence"].whole
        }
        #expect(sequences.sorted() == Array(1...90))
    }

    @Test("several syncs at once send each test once; the second one reports that")
    func syncing() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        try KillTests.fill(device, count: 60, questionnaire: "keyed")
        let ids = device.tests("done")
        let outcomes = try (0..<4).map { _ in try device.begin(["sync"]) }.map { try $0.end() }
        #expect(outcomes.contains { $0.exitCode == 0 })
        for outcome in outcomes {
            #expect([0, 75].contains(outcome.exitCode), "\(outcome)")
            if outcome.exitCode == 75 { #expect(outcome.errors.contains("another process is sending"), "\(outcome)") }
        }
        #expect(host.tests == ids && device.tests("rated") == ids)
        let puts = host.exchanges.filter { $0.method == "PUT" }
        #expect(puts.count == 60)
    }

    @Test("pulls, lists and trims at once leave a cache in order, within its quota")
    func caching() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        for questionnaire in Questionnaire.many(60) { try host.publish(questionnaire) }
        try host.start()
        let device = Device(folder.path)
        try device.done("init", "--remote", host.address, "--quota", "400kB")
        let commands = [
            ["pull"], ["pull"], ["list"], ["pull", "many-9"], ["cache", "trim"], ["search", "many"],
            ["show", "many-3"],
            ["cache", "purge", "--stale"], ["pull"], ["cache", "stats"],
        ]
        let children = try commands.map { try device.begin($0) }
        while children.contains(where: \.isRunning) {
            let usage = try? Files.usage(["\(device.store)/cache/blobs", "\(device.store)/cache/entries"])
            if let usage { #expect(usage.allocated <= 400_000) }
        }
        for child in children {
            let outcome = try child.end()
            #expect(outcome.exitCode == 0, "\(outcome)")
        }
        #expect(try device.json("doctor") == .array([]))
        #expect(try device.cachedIDs.count > 10)
    }
}
