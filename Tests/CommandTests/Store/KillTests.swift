import Foundation
import Testing

/// Whichever process is killed, and whenever: each test arrives once.
@Suite("What a kill leaves is taken up again", .serialized)
struct KillTests {
    /// Makes tests that wait: one by the command, the others as its copies under ids of their own.
    ///
    /// - Parameter seed: makes the ids of the copies; another one for more tests of the same device.
    static func fill(_ device: Device, count: Int, questionnaire: String, seed: UInt64 = 7) throws {
        let first = try device.take(questionnaire, answers: Questionnaire.rightAnswers)
        let text = try Files.text(device.testPath(first, "done"))
        guard let line = text.firstMatch(of: /"sequence" : (\d+)\n/), let start = Int(line.output.1) else {
            throw Unexpected("a test has a number")
        }
        var generator = SeededGenerator(seed: seed)
        for number in (start + 1)..<(start + count) {
            let digits = (0..<2).map { _ in String(generator.next() | 1 << 63, radix: 16) }.joined()
            var id = Array(digits)
            for place in [20, 16, 12, 8] { id.insert("-", at: place) }
            let copy = text.replacing(first, with: String(id))
                .replacing(line.output.0, with: "\"sequence\" : \(number)\n")
            try Files.write(copy, to: device.testPath(String(id), "done"))
        }
    }

    /// The moments at which a sync is killed: defined by its progress, not by a clock.
    private enum Moment {
        /// The host has stored so many more.
        case stored(Int)
        /// Tests lie in `sending`.
        case claimed
        /// So many more lie where delivered tests lie.
        case settled(Int)
    }

    private func isReached(
        _ moment: Moment, since before: (stored: Int, settled: Int), _ host: HostProcess, _ device: Device
    ) -> Bool {
        switch moment {
        case .stored(let more): host.tests.count >= before.stored + more
        case .claimed: !device.tests("sending").isEmpty
        case .settled(let more): device.tests("rated").count >= before.settled + more
        }
    }

    @Test("sync is killed ten times with 200 tests waiting; one more sync, and the host has each of them once")
    func kills() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        try Self.fill(device, count: 200, questionnaire: "keyed")
        let ids = device.tests("done")
        #expect(Set(ids).count == 200)
        let sealed = try ids.map { try Files.read(device.testPath($0, "done")) }

        var generator = SeededGenerator(seed: 77)
        var killed = 0
        var leftInSending = 0
        for round in 0..<10 {
            let before = (stored: host.tests.count, settled: device.tests("rated").count)
            let moment: Moment =
                switch round % 5 {
                case 1: .claimed
                case 3: .settled(Int.random(in: 1...6, using: &generator))
                default: .stored(Int.random(in: 1...9, using: &generator))
                }
            let sync = try device.begin(["sync"])
            try wait(for: "the moment of round \(round)") {
                isReached(moment, since: before, host, device) || !sync.isRunning ? true : nil
            }
            sync.send(SIGKILL)
            if try sync.end().exitCode == 128 + SIGKILL { killed += 1 }
            leftInSending += device.tests("sending").count
            let there = ["done", "sending", "rated"].flatMap { device.tests($0) }
            // Nothing is lost at any moment; a rename cut short leaves one name, never none.
            #expect(Set(there).count == 200 && there.count == 200)
        }
        // They were under way, not over: the moments together take fewer than all the tests. Where a machine holds the
        // test up between the moment and the kill, a sync may come to its end.
        #expect(killed >= 7, "of ten")
        #expect(leftInSending > 0)

        let last = try device.json("sync")
        #expect(last["waiting"].whole == 0 && last["rejected"].whole == 0 && last["conflicts"].whole == 0)
        #expect(host.tests == ids)
        #expect(device.tests("sending").isEmpty && device.tests("done").isEmpty && device.tests("rated") == ids)
        for (id, bytes) in zip(ids, sealed) {
            #expect(try host.test(id) == bytes)
            #expect(try Files.read(device.testPath(id, "rated")) == bytes)
        }
        let puts = host.exchanges.filter { $0.method == "PUT" }
        #expect(puts.count { $0.status == 201 } <= 200)
        #expect(puts.allSatisfy { $0.status == 200 || $0.status == 201 })
        // Half-written files of the killed are gone.
        #expect(Files.names(in: device.store + "/outbox/tmp").isEmpty)
        #expect(try device.json("doctor") == .array([]))
        #expect(try device.json("sync")["sent"].whole == 0)
    }

    @Test("the host is killed in the middle of a sync; back again, it has each test once")
    func hostKill() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path, isRestarted: true)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        let device = try Device(folder.path, of: host)
        try Self.fill(device, count: 120, questionnaire: "keyed")
        var ids = device.tests("done")
        var (killed, rounds) = (0, 0)
        while killed < 3, rounds < 12 {
            rounds += 1
            // A busy machine may hold the test up between the moment and the kill, and the sync comes to its end: the round is
            // repeated with other tests.
            if device.tests("done").isEmpty {
                try Self.fill(device, count: 120, questionnaire: "keyed", seed: UInt64(100 + rounds))
                ids = (ids + device.tests("done")).sorted()
            }
            let before = host.tests.count
            let sync = try device.begin(["sync", "--now"])
            try wait(for: "some tests on the host") { host.tests.count >= before + 7 || !sync.isRunning ? true : nil }
            host.kill()
            let outcome = try sync.end()
            if outcome.exitCode != 0 {
                killed += 1
                #expect([69, 75].contains(outcome.exitCode) && outcome.isOneSentence, "\(outcome)")
            }
            #expect(device.tests("sending").isEmpty)
            // Never shown as delivered without the host's own copy.
            for id in device.tests("rated") + device.tests("sent") {
                #expect(Files.exists("\(host.data)/tests/\(id).test.json"))
            }
            try host.start()
        }
        #expect(killed == 3)
        let last = try device.json("sync", "--now")
        #expect(last["waiting"].whole == 0)
        #expect(host.tests == ids && device.tests("rated") == ids)
        for id in ids { #expect(try host.test(id) == Files.read(device.testPath(id, "rated"))) }
    }
}
