import Foundation
import Testing

/// The file systems that stores lie on, as images in a file.
@Suite(
    "Volumes of their own", .serialized,
    .enabled(
        if: geteuid() == 0 && Files.exists("/dev/loop-control"), "only root may mount an image, with loop devices"),
    .enabled(if: PrivateMounts.obstacle == nil, Comment(rawValue: PrivateMounts.obstacle ?? "")))
struct VolumeTests {
    struct Volume: CustomTestStringConvertible, Sendable {
        var type: String
        var megabytes: Int
        /// Drops what is not on the disk at once, by ioctl.
        var canShutDown: Bool

        var testDescription: String { type }
        var maker: String { "mkfs." + type }
    }

    static let volumes = [
        Volume(type: "ext4", megabytes: 16, canShutDown: true), Volume(type: "xfs", megabytes: 320, canShutDown: true),
        Volume(type: "btrfs", megabytes: 128, canShutDown: false),
    ].filter { volume in
        if !Torture.isWhole, volume.type != "ext4" { return false }
        // Said, not silent: `make torture` installs what is missing.
        if !Command.isInstalled(volume.maker) { Torture.report("no \(volume.type): there is no \(volume.maker) here") }
        return Command.isInstalled(volume.maker)
    }

    private func image(_ volume: Volume, _ folder: String) throws -> String {
        let path = "\(folder)/\(volume.type).img"
        // The makers do not write over a former one.
        if Files.exists(path) { try Files.remove(path) }
        try Command.run("truncate", "-s", "\(volume.megabytes)M", path, in: folder)
        try Command.run(volume.maker, path, in: folder)
        return path
    }

    private func mounted(_ volume: Volume, _ image: String, _ folder: String, _ name: String) throws -> PrivateMounts {
        try PrivateMounts(folder, name: name, type: volume.type, source: image, options: "loop,nosuid")
    }

    private func quire(_ folder: String, _ store: String, _ arguments: [String], input: String? = nil) throws -> Outcome
    {
        try Device(folder).quire(arguments, environment: ["QUIRE_STORE": store], input: input)
    }

    private func done(_ folder: String, _ store: String, _ arguments: String..., input: String? = nil) throws -> Outcome
    {
        let outcome = try quire(folder, store, arguments, input: input)
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        return outcome
    }

    private func host(_ folder: String) throws -> HostProcess {
        let host = try HostProcess(folder: folder)
        for questionnaire in Questionnaire.many(40) { try host.publish(questionnaire) }
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        return host
    }

    @Test("the main job, a kill in it, and a disk that is full", arguments: volumes)
    func mainJob(_ volume: Volume) throws {
        let folder = try TemporaryFolder()
        let host = try host(folder.path)
        let disk = try mounted(volume, try image(volume, folder.path), folder.path, "disk")
        let store = disk.path + "/store"
        let device = Device(disk.path)
        func done(_ arguments: String..., input: String? = nil) throws -> Outcome {
            let outcome = try quire(folder.path, store, arguments, input: input)
            guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
            return outcome
        }
        _ = try done("init", "--remote", host.address, "--quota", "2MB")
        _ = try done("pull")
        var ids: [String] = []
        for number in 0..<6 {
            let outcome = try done(
                "take", "keyed", "--answers", "-", "--json", input: Questionnaire.rightAnswers)
            let id = try #require(try outcome.json()["id"].text)
            ids.append(id)
            if number > 0 { _ = try done("finish", id) }
        }
        for round in 0..<4 {
            let sync = try Device(folder.path).begin(["sync", "--now"], environment: ["QUIRE_STORE": store])
            let finish = try Device(folder.path).begin(
                ["finish", ids[0], "--json"], environment: ["QUIRE_STORE": store])
            usleep(UInt32(round) * 25_000)
            sync.send(SIGKILL)
            if round < 3 { finish.send(SIGKILL) }
            _ = try sync.end()
            _ = try finish.end()
        }
        if Files.exists(device.testPath(ids[0], "in-progress")) { _ = try done("finish", ids[0]) }
        _ = try done("cache", "trim", "--quota", "100kB")
        try disk.fill()
        let take = try quire(
            folder.path, store, ["take", "many-1", "--answers", "-", "--finish", "--json"],
            input: Questionnaire.rightAnswers)
        // Saved from the reserved space, or reported; trimmed content is fetched again for it where possible.
        #expect(take.exitCode == 0 || [69, 74].contains(take.exitCode) && take.isOneSentence, "\(take)")
        if take.exitCode == 0 { ids.append(try #require(try take.json()["id"].text)) }
        try disk.empty()
        _ = try done("sync", "--now")
        _ = try done("pull")
        _ = try done("doctor")
        #expect(host.tests == ids.sorted())
        for id in ids { #expect(try host.test(id) == Files.read(device.testPath(id, "rated"))) }
        Torture.report("\(volume.type): the main job, four kills, a full disk")
    }

    /// The ways to lose what is not on the disk.
    enum Loss: CaseIterable, Sendable {
        /// The file system is shut down at once, its journal not flushed.
        case shutDown
        /// The image is copied as it lies on the disk at that moment.
        case copy
    }

    @Test("after an abrupt loss everything acknowledged is there", arguments: volumes, Loss.allCases)
    func loss(_ volume: Volume, _ loss: Loss) throws {
        if loss == .shutDown, !volume.canShutDown { return }
        let folder = try TemporaryFolder()
        let host = try host(folder.path)
        // A round makes, mounts and loses a volume, which takes seconds; by the fourth each kind of life has been lived.
        let rounds = Torture.isWhole ? 4 : 2
        for round in 0..<rounds {
            let image = try image(volume, folder.path)
            var disk: PrivateMounts? = try mounted(volume, image, folder.path, "disk-\(round)")
            guard let store = disk.map({ $0.path + "/store" }) else { continue }
            // A new store, and what is done in it at once, or what comes after some life.
            _ = try done(folder.path, store, "init", "--remote", host.address)
            _ = try done(folder.path, store, "pull")
            var expected: [String: String] = [:]
            for number in 0...(round % 3) {
                let outcome = try done(
                    folder.path, store, "take", "keyed", "--answers", "-", "--json", input: Questionnaire.rightAnswers)
                let id = try #require(try outcome.json()["id"].text)
                expected[id] = "in-progress"
                _ = try done(folder.path, store, "answer", id, "q2", "no")
                if (round + number) % 2 == 0 {
                    _ = try done(folder.path, store, "finish", id)
                    expected[id] = "done"
                }
            }
            if round % 4 == 2 {
                let sync = try done(folder.path, store, "sync", "--json")
                for (id, status) in expected where status == "done" { expected[id] = "rated" }
                #expect(try sync.json()["waiting"].whole == 0)
            }
            let bytes = try expected.map { id, status in
                (id, status, try Files.read("\(store)/outbox/\(status)/\(id).test.json"))
            }
            var lost = image
            switch loss {
            case .shutDown: try shutDown(store)
            case .copy:
                lost = image + ".copy"
                try Command.run("cp", "--sparse=always", image, lost, in: folder.path)
            }
            try disk?.unmount()
            disk = nil
            let again = try mounted(volume, lost, folder.path, "again-\(round)")
            let found = again.path + "/store"
            for (id, status, before) in bytes {
                let path = "\(found)/outbox/\(status)/\(id).test.json"
                #expect((try? Files.read(path)) == before, "\(volume.type), \(loss), round \(round): \(status)/\(id)")
            }
            _ = try done(folder.path, found, "pull")
            for (id, status) in expected where status == "in-progress" {
                _ = try done(folder.path, found, "finish", id)
            }
            _ = try done(folder.path, found, "sync", "--now")
            for id in expected.keys {
                #expect(try host.test(id) == Files.read("\(found)/outbox/rated/\(id).test.json"))
            }
            #expect(Files.names(in: found + "/outbox/conflict").isEmpty)
        }
        Torture.report("\(volume.type): \(rounds) abrupt losses by \(loss)")
    }

    /// `EXT4_IOC_SHUTDOWN`, which is `XFS_IOC_GOINGDOWN`, with the word not to flush the journal.
    private func shutDown(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY)
        guard descriptor >= 0 else { throw Unexpected("cannot open \(path)") }
        defer { close(descriptor) }
        var flags: UInt32 = 2
        guard ioctl(descriptor, 0x8004_587D, &flags) == 0 else {
            throw Unexpected("the file system of \(path) cannot be shut down: \(String(cString: strerror(errno)))")
        }
    }
}
