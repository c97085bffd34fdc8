import Foundation
import Synchronization
import Testing

/// Large media: cut, killed, and whole at the end.
@Suite("Files that are attached to answers")
struct AttachmentTests {
    private let folder: TemporaryFolder
    private let host: HostProcess

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path, isRestarted: true)
        try host.publish(Questionnaire(id: "a", title: "First"))
        try host.start()
    }

    private func file(_ name: String, bytes count: Int) throws -> String {
        try Files.film("\(folder.path)/\(name)", bytes: count)
    }

    private func sum(_ path: String) throws -> String {
        String(try Command.run("sha256sum", path, in: folder.path).prefix(64))
    }

    @Test("many files go in one sync, equal ones too")
    func many() throws {
        let device = try Device(folder.path, of: host)
        let test = try device.take("a", answers: "{}", isFinished: false)
        for number in 0..<6 {
            // The last three are the first three by other names.
            let path = try file("photo\(number).jpg", bytes: 2000 + 8 * (number % 3))
            try device.done("attach", test, "q1", path)
        }
        try device.done("finish", test)
        let report = try device.json("sync")
        #expect(report["sent"].whole == 7 && report["waiting"].whole == 0)
        #expect(arrived.count == 3)
    }

    private var arrived: [String] { Files.names(in: host.data + "/media", suffix: "") }

    @Test("offline it is kept with the draft; it goes after its test, once, and the digest is right")
    func offline() throws {
        let device = try Device(folder.path, of: host)
        try host.stop()
        let photo = try file("photo.jpg", bytes: 300_000)
        let test = try device.take("a", answers: "{}", isFinished: false)
        let made = try device.json("attach", test, "q1", photo)
        #expect(made["status"].text == "in-progress")
        #expect(made["attachment"]["mediaType"].text == "image/jpeg")
        // Again, it is the same one.
        #expect(try device.json("attach", test, "q1", photo)["attachment"]["id"] == made["attachment"]["id"])
        let id = try #require(made["attachment"]["id"].text)
        #expect(try device.json("status")["waiting"].whole == 0)
        try device.done("finish", test)
        let status = try device.json("status")
        #expect(status["waiting"].whole == 2)
        #expect(status["tests"]["waiting"].whole == 1 && status["attachments"]["waiting"].whole == 1)
        let words = try device.done("status").output
        #expect(words.contains("Tests: 1 waiting") && words.contains("Attachments: 1 waiting, 0 delivered"), "\(words)")
        #expect(!words.contains("Changes"))
        #expect(try device.done("outbox", "ls").output.contains("done\t\(id)\tmedia\tphoto.jpg\n"))
        #expect(try device.done("why", id).output.contains("waits for its test"))
        #expect(try device.done("why", test).output.contains("photo.jpg"))
        let refused = try device.quire("attach", test, "q1", photo)
        #expect(refused.exitCode == 65 && refused.isOneSentence && refused.errors.contains("reopen"))
        #expect(try device.quire("outbox", "discard", id).exitCode == 65)
        #expect(try device.quire("doctor").exitCode == 0)

        try host.start()
        #expect(try device.json("sync")["sent"].whole == 2)
        #expect(host.tests == [test])
        #expect(arrived == [try sum(photo)])
        let line = try #require(try device.json("tests").elements.first)
        #expect(line["attachments"].elements.first?["status"].text == "sent")
        let order = host.exchanges.filter { $0.method == "PUT" }.map(\.path)
        #expect(order == ["/v1/tests/\(test)", "/v1/tests/\(test)/media/\(id)"])
        #expect(try device.quire("doctor").exitCode == 0)
        // Nothing goes a second time.
        #expect(try device.json("sync")["sent"].whole == 0)
        let listed = try Command.run("curl", "-s", "\(host.address)/v1/tests/\(test)/media", in: folder.path)
        #expect(listed.contains("\"arrived\"") && listed.contains("photo.jpg"))
        let part = try Command.run(
            "curl", "-s", "-D", "-", "-r", "0-9", "-o", "\(folder.path)/part",
            "\(host.address)/v1/tests/\(test)/media/\(id)", in: folder.path)
        #expect(part.contains("206") && part.contains("attachment; filename*=UTF-8''photo.jpg"))
        #expect(try Files.read("\(folder.path)/part") == Files.read(photo).prefix(10))
    }

    @Test("what the host has already is answered with its receipt, without a byte")
    func known() throws {
        let device = try Device(folder.path, of: host)
        let photo = try file("photo.jpg", bytes: 2_000_000)
        for _ in 0..<2 {
            let test = try device.take("a", answers: "{}", isFinished: false)
            try device.done("attach", test, "q1", photo)
            try device.done("finish", test)
            #expect(try device.json("sync")["sent"].whole == 2)
        }
        #expect(arrived.count == 1)
        #expect(host.exchanges.count { $0.method == "PATCH" } == 1)
        #expect(try device.quire("doctor").exitCode == 0)
    }

    @Test("what cannot be attached is refused in one sentence, and leaves nothing behind")
    func refused() throws {
        let device = try Device(folder.path, of: host)
        let test = try device.take("a", answers: Questionnaire.rightAnswers, isFinished: false)
        let photo = try file("photo.jpg", bytes: 1000)
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link.jpg", withDestinationPath: photo)
        #expect(mkfifo(folder.path + "/pipe.jpg", 0o600) == 0)
        for name in ["link.jpg", "pipe.jpg", "missing.jpg", "."] {
            let outcome = try device.quire("attach", test, "q1", "\(folder.path)/\(name)")
            #expect(outcome.exitCode == 65 && outcome.isOneSentence, "\(outcome)")
        }
        #expect(try device.quire("attach", test, "q1", "/dev/zero").exitCode == 65)
        #expect(try device.quire("attach", test, "nowhere", photo).exitCode == 65)
        for name in ["../../x", "a\nb", "", ".."] {
            let outcome = try device.quire("attach", test, "q1", photo, "--name", name)
            #expect(outcome.exitCode == 65 && outcome.isOneSentence, "\(outcome)")
        }
        #expect(try device.quire("attach", test, "q1", photo, "--type", "x\r\nY: z").exitCode == 65)
        #expect(Files.names(in: device.store + "/outbox/media", suffix: "").isEmpty)
        #expect(Files.names(in: device.store + "/outbox/tmp", suffix: "").isEmpty)
        // Attached and taken away again, the test goes without it.
        try device.done("attach", test, "q1", photo)
        try device.done("attach", test, "q1", "photo.jpg", "--remove")
        #expect(try device.quire("attach", test, "q1", "photo.jpg", "--remove").exitCode == 65)
        try device.done("finish", test)
        #expect(try device.json("sync")["sent"].whole == 1)
        #expect(arrived.isEmpty && Files.names(in: device.store + "/outbox/media", suffix: "").isEmpty)
    }

    @Test(
        "cut after the host stored the last byte and before the reply: one file, and the next sync learns the receipt")
    func lostReply() throws {
        let size = 1_500_000
        let proxy = try CuttingProxy(to: host.listeningPort, .init(losesReplyAfterBytes: size))
        defer { proxy.end() }
        let device = Device(folder.path)
        try device.done("init", "--remote", proxy.address)
        try device.done("pull")
        let photo = try file("film.mp4", bytes: size)
        let test = try device.take("a", answers: "{}", isFinished: false)
        try device.done("attach", test, "q1", photo)
        try device.done("finish", test)
        _ = try device.quire("sync", "--json")
        #expect(try device.quire("sync", "--now", "--json").exitCode == 0)
        #expect(proxy.cuts == 1)
        #expect(arrived == [try sum(photo)])
        #expect(Double(proxy.uploadedBytes) < 1.1 * Double(size))
        #expect(Files.names(in: device.store + "/outbox/sent", suffix: ".media.json").count == 1)
        #expect(Files.names(in: host.data + "/uploads", suffix: "").isEmpty)
        #expect(try device.quire("doctor").exitCode == 0)
    }

    @Test("cut again and again, and the process killed twice: hardly a byte goes twice, in little memory")
    func resumed() throws {
        let size = Torture.isWhole ? 300_000_000 : 12_000_000
        let cut = Torture.isWhole ? 10_000_000 : 400_000
        let running = Mutex<pid_t>(0)
        let peak = Mutex(0)
        let killing: @Sendable () -> Void = {
            let process = running.withLock { $0 }
            let status = (try? Files.text("/proc/\(process)/status")) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            let bytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
            peak.withLock { $0 = max($0, bytes * 1024) }
            kill(process, SIGKILL)
        }
        let proxy = try CuttingProxy(
            to: host.listeningPort,
            .init(cutEveryBytes: cut, moments: [(size / 3, killing), (size * 2 / 3, killing)]))
        defer { proxy.end() }
        let device = Device(folder.path)
        try device.done("init", "--remote", proxy.address)
        try device.done("pull")
        let film = try file("film.mp4", bytes: size)
        let test = try device.take("a", answers: "{}", isFinished: false)
        let attaching = try device.measured(["attach", test, "q1", film])
        #expect(attaching.outcome.exitCode == 0 && attaching.peakBytes < Measured.bound)
        try device.done("finish", test)
        var codes: [Int32] = []
        while codes.count < 6, codes.last != 0 {
            let child = try device.begin(["sync", "--now", "--json"])
            running.withLock { $0 = child.identifier }
            codes.append(try child.end().exitCode)
        }
        #expect(codes == [137, 137, 0])
        #expect(arrived == [try sum(film)])
        #expect(Double(proxy.uploadedBytes) < 1.1 * Double(size))
        // Two of the connections were ended by the kills.
        #expect(proxy.cuts >= size / cut - 3)
        let most = peak.withLock { $0 }
        #expect(most > 0 && most < Measured.bound)
        #expect(try #require(host.peakBytes) < Measured.bound)
        #expect(try device.quire("doctor").exitCode == 0)
        Torture.report(
            "an attachment of \(size) bytes, \(proxy.cuts) cuts, 2 kills: \(proxy.uploadedBytes) bytes went up; "
                + "at most \(most / 1000) kB of memory on the device, \((host.peakBytes ?? 0) / 1000) kB on the host")
    }
}
