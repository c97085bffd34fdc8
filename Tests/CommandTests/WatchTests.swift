import Foundation
import Testing

@Suite("quire watch")
struct WatchTests {
    private let folder: TemporaryFolder
    private let host: HostProcess
    private let device: Device

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path, isRestarted: true)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        device = try Device(folder.path, of: host)
    }

    /// Starts to watch, and returns when it does.
    private func watch(
        _ more: [String] = [], under prefix: [String] = [], environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let variables = ["QUIRE_STORE": device.store].merging(environment) { _, new in new }
        let child = try ChildProcess(
            prefix + [Command.binary, "watch"] + more,
            environment: Command.environment(home: folder.path, variables), folder: folder.path, isWatched: true)
        let line = try HostProcess.firstLine(of: child)
        guard line.hasPrefix("Watching") else { throw Unexpected("it said “\(line)”: \(child.errorsSoFar)") }
        return child
    }

    private func waitForArrival(_ id: String) throws {
        try wait(for: "the test on the host") { host.tests.contains(id) ? true : nil }
        try wait(for: "the receipt") { device.deliveredStatus(id) }
    }

    /// The interval is 20 minutes: what arrives within the bound of a wait was not waited for.
    @Test("a test that is finished leaves at once, and so does one that is moved into done/ by hand")
    func files() throws {
        let child = try watch()
        try waitForArrival(try device.take("keyed", answers: Questionnaire.rightAnswers))
        let draft = try device.take("keyed", answers: Questionnaire.rightAnswers, isFinished: false)
        try Files.move(device.testPath(draft, "in-progress"), device.testPath(draft, "done"))
        try waitForArrival(draft)
        child.send(SIGTERM)
        let outcome = try child.end()
        #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(try device.json("doctor") == .array([]))
    }

    @Test("a test leaves when its time has come, and a new time is noticed")
    func notBefore() throws {
        let draft = try device.take("keyed", answers: Questionnaire.rightAnswers, isFinished: false)
        try Command.run("touch", "-d", "+2 hours", device.testPath(draft, "in-progress"), in: folder.path)
        try Files.move(device.testPath(draft, "in-progress"), device.testPath(draft, "done"))
        let child = try watch()
        let moment = Date().addingTimeInterval(1.5)
        try Command.run(
            "touch", "-d", "@\(moment.timeIntervalSince1970)", device.testPath(draft, "done"), in: folder.path)
        try waitForArrival(draft)
        #expect(Date() >= moment)
        child.send(SIGINT)
        #expect(try child.end().exitCode == 0)
    }

    @Test("quiet hours hold it back; settings that change are noticed")
    func settings() throws {
        let path = device.store + "/store.json"
        let settings = try Files.text(path)
        try Files.write(settings.replacing("{", with: #"{"quietHours": "00:00-00:00","#, maxReplacements: 1), to: path)
        let child = try watch()
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        #expect(host.tests.isEmpty)
        try Files.write(settings, to: path)
        try waitForArrival(id)
        child.send(SIGTERM)
        #expect(try child.end().exitCode == 0)
    }

    @Test("a second one is refused in a sentence, and may watch when the first has ended")
    func second() throws {
        let child = try watch()
        let outcome = try device.quire("watch")
        #expect(outcome.exitCode == 75 && outcome.isOneSentence && outcome.errors.contains("another"), "\(outcome)")
        child.send(SIGKILL)
        _ = try child.end()
        let next = try watch()
        next.send(SIGTERM)
        #expect(try next.end().exitCode == 0)
    }

    private static let hasNamespaces = geteuid() == 0 && Command.isInstalled("unshare") && Command.isInstalled("ip")

    /// A network of its own with one cable, plugged in, as long as this program runs in it.
    private static let cable = [
        "unshare", "-n", "bash", "-c",
        "ip link add name here type veth peer name there && ip addr add 10.9.8.7/24 dev here && "
            + "ip link set lo up && ip link set there up && ip link set here up && echo ready && exec sleep 600",
    ]
    private static let hasCables =
        hasNamespaces && Command.isInstalled("nsenter")
        && (try? Command.run("unshare", "-n", "ip", "link", "add", "here", "type", "veth", in: "/"))
            != nil

    @Test(
        "a network that appears is noticed: what waits leaves with it",
        .enabled(if: hasCables, "this machine does not allow making networks (unshare -n, veth)"))
    func network() throws {
        let room = try ChildProcess(
            Self.cable, environment: Command.environment(home: folder.path), folder: folder.path, isWatched: true)
        defer {
            room.send(SIGKILL)
            _ = try? room.end()
        }
        #expect(try HostProcess.firstLine(of: room) == "ready")
        let inside = ["nsenter", "-t", "\(room.identifier)", "-n"]
        func run(_ arguments: String...) throws {
            let variables = Command.environment(home: folder.path, ["QUIRE_STORE": device.store])
            let outcome = try ChildProcess(inside + arguments, environment: variables, folder: folder.path).end()
            guard outcome.exitCode == 0 else { throw Unexpected("\(arguments): \(outcome)") }
        }
        host.kill()
        try host.start("--open", at: "10.9.8.7", under: inside)
        try device.done("remote", "set", "http://10.9.8.7:\(host.listeningPort)")
        try run(Command.binary, "pull")

        try run("ip", "link", "set", "here", "down")
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let child = try watch(under: inside)
        #expect(host.tests.isEmpty && device.tests("done") == [id])
        try run("ip", "link", "set", "here", "up")
        try waitForArrival(id)
        child.send(SIGTERM)
        #expect(try child.end().exitCode == 0)
    }

    @Test(
        "while nothing waits and there is no network it makes no system call but the wait",
        .enabled(if: hasNamespaces && Command.isInstalled("strace")))
    func idle() throws {
        let trace = folder.path + "/trace"
        let child = try watch(under: ["unshare", "-n", "strace", "-D", "-f", "-o", trace])
        // The last line is the call that has not come back.
        func waiting() -> String? {
            guard let text = try? Files.text(trace), let last = text.split(separator: "\n").last else { return nil }
            return last.contains("poll(") && !last.contains(") = ") ? text : nil
        }
        _ = try wait(for: "the wait") { waiting() }
        // What threads of the start had left to do is over when nothing comes for a while: the work of other programs.
        var former = ""
        try wait(for: "rest") {
            let now = waiting()
            defer { former = now ?? "" }
            for _ in 0..<5 { _ = try device.quire("status") }
            return now == former && now != nil ? true : nil
        }
        for _ in 0..<40 { _ = try device.quire("status") }
        let after = try Files.text(trace)
        #expect(after == former, "\(after.dropFirst(former.count).prefix(500))")
        child.send(SIGTERM)
        _ = try child.end()
    }
}
