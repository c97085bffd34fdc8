import Foundation
import Testing

/// `quire snapshot` is killed with SIGKILL while it saves, restores and merges, at a moment that its files show.
@Suite("A kill of snapshot save, restore and merge", .serialized)
struct SnapshotKillTests {
    private static let rounds = Torture.isWhole ? 100 : 4

    private let folder: TemporaryFolder
    private let device: Device
    /// Each test of the device with its content.
    private let tests: [String: Data]

    init() throws {
        folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        for questionnaire in Questionnaire.many(30) { try host.publish(questionnaire) }
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        device = try Device(folder.path, of: host)
        try KillTests.fill(device, count: 40, questionnaire: "keyed")
        let draft = try device.take("many-1", answers: #"{"q1": "yes"}"#, isFinished: false)
        var generator = SeededGenerator(seed: 28)
        let photo = Data((0..<2_000_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
        try photo.write(to: URL(filePath: folder.path + "/photo.jpg"))
        try device.done("attach", draft, "q1", folder.path + "/photo.jpg")
        try host.stop()
        tests = try Self.tests(of: device)
    }

    private static func tests(of device: Device) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for status in ["done", "in-progress"] {
            for id in device.tests(status) { found["\(status)/\(id)"] = try Files.read(device.testPath(id, status)) }
        }
        return found
    }

    /// Runs a command and kills it once its files show that it has come so far, or after it has ended.
    ///
    /// - Returns: whether it was killed before its end.
    private func kill(_ device: Device, _ arguments: [String], when hasComeSoFar: () throws -> Bool) throws -> Bool {
        let command = try device.begin(arguments)
        try wait(for: "the moment of \(arguments)") { try hasComeSoFar() || !command.isRunning ? true : nil }
        command.send(SIGKILL)
        return try command.end().exitCode == 128 + SIGKILL
    }

    private func isIntact(_ snapshot: String) throws -> Bool {
        try device.json("snapshot", "show", snapshot)["isIntact"] == .bool(true)
    }

    @Test("a killed save leaves the former snapshot or the new one, and the next save removes what it left")
    func saves() throws {
        let backups = folder.path + "/backups"
        let file = backups + "/backup.quire"
        try Files.makeFolder(backups)
        try device.done("snapshot", "save", file)
        var generator = SeededGenerator(seed: Torture.seed)
        var killed = 0
        for round in 0..<Self.rounds {
            let former = try Files.read(file)
            let written = Int.random(in: 0...9, using: &generator) << 18
            let format = round % 2 == 0 ? "json" : "protobuf"
            let isKilled = try kill(device, ["snapshot", "save", file, "--format", format]) {
                Files.names(in: backups).contains { name in
                    let size = try? FileManager.default.attributesOfItem(atPath: backups + "/" + name)[.size] as? Int
                    return name != "backup.quire" && (size ?? 0) >= written
                }
            }
            killed += isKilled ? 1 : 0
            let isFormer = try Files.read(file) == former
            if !isFormer { #expect(try isIntact(file), "round \(round)") }
        }
        #expect(try isIntact(file))
        try device.done("snapshot", "save", file)
        #expect(
            Files.names(in: backups) == ["backup.quire"] && FileManager.default.subpaths(atPath: backups)?.count == 1)
        #expect(try Self.tests(of: device) == tests && device.json("doctor") == .array([]))
        Torture.report(
            "snapshot save: \(killed) of \(Self.rounds) killed before its end; the former or the new one was there")
    }

    @Test("a killed restore, repeated, completes the store: each test once, byte for byte", arguments: [false, true])
    func restores(_ isMerge: Bool) throws {
        let file = folder.path + "/backup.quire"
        try device.done("snapshot", "save", file, "--format", isMerge ? "protobuf" : "json")
        var generator = SeededGenerator(seed: Torture.seed)
        var killed = 0
        for round in 0..<Self.rounds {
            let other = Device(folder.path, name: "restored-\(round)")
            var own: [String: Data] = [:]
            if isMerge {
                try device.done("snapshot", "restore", file, "--store", other.store)
                for id in device.tests("done").dropFirst(3) { try Files.remove(other.testPath(id, "done")) }
                let entries = other.store + "/cache/entries/"
                for name in Files.names(in: entries).prefix(20) { try Files.remove(entries + name) }
                _ = try other.take("many-30", answers: Questionnaire.rightAnswers)
                own = try Self.tests(of: other)
            }
            let restoredTests = Int.random(in: own.count...tests.count, using: &generator)
            let restoredEntries = Int.random(in: 0...30, using: &generator)
            let isKilled = try kill(other, ["snapshot", "restore", file]) {
                round % 2 == 0
                    ? other.tests("done").count >= restoredTests
                    : Files.names(in: other.store + "/cache/entries").count >= restoredEntries
            }
            killed += isKilled ? 1 : 0
            try other.done("snapshot", "restore", file)
            #expect(try Self.tests(of: other) == tests.merging(own) { $1 }, "round \(round)")
            #expect(try other.json("doctor") == .array([]), "round \(round)")
            #expect(try other.cachedIDs.count == 31, "round \(round)")
            try Files.remove(other.store)
        }
        Torture.report(
            "snapshot \(isMerge ? "merged" : "restored"): \(killed) of \(Self.rounds) killed before its end, each complete "
                + "after a repetition")
    }
}
