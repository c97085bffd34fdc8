import Foundation
import MotoServer
import Testing

/// Devices and a host that meet in a bucket, with moto in the place of a store.
@Suite(
    "A bucket takes the place of the server", .serialized,
    .enabled(if: MotoServer.isInstalled, "moto cannot be had here"))
struct BucketTests {
    private let folder: TemporaryFolder
    private let moto: MotoServer
    private let bucket: String

    init() throws {
        folder = try TemporaryFolder()
        moto = try MotoServer.shared.get()
        bucket = try moto.makeBucket()
        try Files.makeFolder(folder.path + "/questionnaires")
        try Files.write(
            Questionnaire(id: "keyed", title: "Keyed").json, to: folder.path + "/questionnaires/a.json")
    }

    private var remote: String { "s3+\(moto.endpoint)/\(bucket)/spring/7b" }

    private func run(_ device: Device, _ arguments: String...) throws -> Outcome {
        try device.quire(arguments, environment: moto.environment)
    }

    private func done(_ device: Device, _ arguments: String...) throws -> Outcome {
        let outcome = try device.quire(arguments, environment: moto.environment)
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        return outcome
    }

    private var collectArguments: [String] {
        [
            "host", "--data", folder.path + "/data", "--questionnaires", folder.path + "/questionnaires", "--collect",
            "s3://\(bucket)/spring/7b", "--json",
        ]
    }

    private func collect() throws -> JSON {
        let outcome = try Device(folder.path).quire(collectArguments, environment: moto.environment)
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        return try outcome.json()
    }

    private func device(_ name: String) throws -> Device {
        let device = Device(folder.path, name: name)
        _ = try done(device, "init", "--remote", remote)
        return device
    }

    @Test("there and back: questionnaires come, tests go, receipts and ratings come, and everything once")
    func whole() throws {
        let first = try device("first")
        let early = try run(first, "pull")
        #expect(early.exitCode == 65 && early.isOneSentence && early.errors.contains("--collect"), "\(early)")
        #expect(try collect()["questionnaires"].whole == 1)
        let second = try device("second")
        for device in [first, second] { #expect(try done(device, "pull", "--json").json()["new"].elements.count == 1) }
        let ids = try [first, second].map { try $0.take("keyed", answers: Questionnaire.rightAnswers) }
        for device in [first, second] {
            for _ in 0..<2 {
                let outcome = try run(device, "sync")
                #expect(outcome.exitCode == 75 && outcome.output.contains("1 kept in the bucket"), "\(outcome)")
            }
        }
        #expect(try collect()["taken"].texts.sorted() == ids.sorted())
        let again = try collect()
        #expect(again["taken"].elements.isEmpty && again["known"].whole == 2 && again["changedFiles"].whole == 0)
        for device in [first, second] {
            let sync = try done(device, "sync", "--json").json()
            #expect(sync["sent"].whole == 1 && sync["waiting"].whole == 0, "\(sync)")
        }
        #expect(first.tests("rated") == [ids[0]] && second.tests("rated") == [ids[1]])

        // A rating by a teacher takes the place of the receipt, and a questionnaire that is gone goes from the bucket.
        _ = try done(second, "host", "rate", "--data", folder.path + "/data", ids[1], "--score", "1", "--max", "2")
        try Files.write(
            Questionnaire(id: "open", title: "Open", hasKey: false).json, to: folder.path + "/questionnaires/b.json")
        try Files.remove(folder.path + "/questionnaires/a.json")
        #expect(try collect()["questionnaires"].whole == 1)
        #expect(try done(second, "sync", "--json").json()["rated"].whole == 1)
        _ = try done(second, "pull")
        let film = try Files.film(folder.path + "/film.mp4", bytes: 3_000_000)
        let test = try second.take("open", answers: "{}", isFinished: false)
        _ = try done(second, "attach", test, "q1", film)
        _ = try done(second, "finish", test)
        #expect(try run(second, "sync").output.contains("2 kept in the bucket"))
        #expect(try collect()["attachments"].elements.count == 1)
        #expect(try done(second, "sync", "--json").json()["waiting"].whole == 0)
        #expect(second.tests("sent") == [test])
        #expect(try done(second, "doctor", "--json").json() == .array([]))
    }

    @Test("killed on both sides in between, each test arrives once")
    func killed() throws {
        _ = try collect()
        let device = try device("first")
        _ = try done(device, "pull")
        try KillTests.fill(device, count: 25, questionnaire: "keyed")
        let ids = Set(device.tests("done"))
        for round in 0..<2 {
            let sync = try device.begin(["sync"], environment: moto.environment)
            let wanted = 5 * (round + 1)
            try wait(for: "some tests in the bucket") { () throws -> Bool? in
                if !sync.isRunning { return true }
                let there: Int = try objects("tests/").count
                return there >= wanted ? true : nil
            }
            sync.send(SIGKILL)
            _ = try sync.end()
        }
        #expect(try run(device, "sync", "--now").exitCode == 75)
        #expect(try objects("tests/").count == ids.count)
        for round in 0..<2 {
            let collecting = try Device(folder.path).begin(collectArguments, environment: moto.environment)
            let wanted = 5 * (round + 1)
            try wait(for: "some tests on the host") { () throws -> Bool? in
                if !collecting.isRunning { return true }
                return hostTests.count >= wanted ? true : nil
            }
            collecting.send(SIGKILL)
            _ = try collecting.end()
        }
        _ = try collect()
        #expect(Set(hostTests) == ids && hostTests.count == ids.count)
        for _ in 0..<2 {
            let sync = try device.begin(["sync"], environment: moto.environment)
            try wait(for: "some receipts") { () throws -> Bool? in
                if !sync.isRunning { return true }
                return device.tests("rated").count >= 3 ? true : nil
            }
            sync.send(SIGKILL)
            _ = try sync.end()
        }
        _ = try done(device, "sync", "--now")
        #expect(Set(device.tests("rated")) == ids)
        #expect(try collect()["taken"].elements.isEmpty)
    }

    private var hostTests: [String] {
        Files.names(in: folder.path + "/data/tests", suffix: ".test.json").map { String($0.dropLast(10)) }
    }

    private func objects(_ prefix: String) throws -> [Substring] {
        let list = try Command.run(
            "curl", "--silent", "\(moto.endpoint)/\(bucket)?list-type=2&prefix=spring/7b/\(prefix)", in: folder.path)
        return Array(list.split(separator: "<Key>").dropFirst())
    }

    @Test("what is wrong with a bucket is one sentence with an exit code")
    func faults() throws {
        let device = Device(folder.path, name: "first")
        let noKeys = try device.quire(["init", "--remote", remote])
        #expect(
            noKeys.exitCode == 64 && noKeys.isOneSentence && noKeys.errors.contains("AWS_ACCESS_KEY_ID"), "\(noKeys)")
        let noBucket = try run(device, "init", "--remote", "s3+\(moto.endpoint)/no-such-bucket")
        #expect(noBucket.exitCode == 74 && noBucket.errors.contains("there is no bucket no-such-bucket"), "\(noBucket)")
        let open = try run(device, "init", "--remote", "s3+http://s3.example.org/bucket")
        #expect(open.exitCode == 64 && open.isOneSentence, "\(open)")
        let away = try device.quire(
            collectArguments, environment: moto.environment.merging(["AWS_ENDPOINT_URL": "http://127.0.0.1:9"]) { $1 })
        #expect(away.exitCode == 69 && away.isOneSentence && away.errors.contains("127.0.0.1:9"), "\(away)")
        // A store that has a remote it cannot reach works on without it.
        _ = try done(device, "init", "--remote", remote)
        let offline = try device.quire(["sync"])
        #expect(offline.exitCode == 0, "\(offline)")
        #expect(try device.quire(["list"]).exitCode == 0)
    }
}
