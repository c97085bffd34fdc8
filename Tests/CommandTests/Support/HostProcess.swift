import Foundation
import Synchronization

/// A real `quire host` on the loopback interface.
final class HostProcess {
    let data: String
    let questionnaires: String
    private let folder: String
    private(set) var port: Int
    private var process: ChildProcess?
    /// What was asked of former runs.
    private var formerLog = ""

    /// - Parameters:
    ///   - data: another place of its files, such as a bucket.
    ///   - isRestarted: uses a port that no other program gets by chance while the host is away.
    init(
        folder: String, name: String = "host", data: String? = nil, questionnaires: String? = nil,
        isRestarted: Bool = false
    ) throws {
        self.folder = folder
        self.data = data ?? "\(folder)/\(name)"
        self.questionnaires = questionnaires ?? "\(folder)/\(name)-questionnaires"
        if questionnaires == nil { try Files.makeFolder(self.questionnaires) }
        port = isRestarted ? try SteadyPort.next() : 0
    }

    deinit { process?.send(SIGTERM) }

    var address: String { "http://127.0.0.1:\(port)" }
    var isRunning: Bool { process != nil }
    var listeningPort: Int { port }

    /// The most memory that it had since it was started, as the kernel says.
    var peakBytes: Int? {
        guard let process, let status = try? Files.text("/proc/\(process.identifier)/status") else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }

    /// Starts the host and waits for its word that it listens; from the second time on at the same port.
    ///
    /// - Parameters:
    ///   - environment: variables of its own.
    ///   - own: the address of its machine that it listens at.
    ///   - prefix: a program that runs the host, such as strace.
    func start(
        _ arguments: String..., environment: [String: String] = [:], at own: String = "127.0.0.1",
        under prefix: [String] = []
    ) throws {
        let child = try ChildProcess(
            prefix + [
                Command.binary, "host", "--data", data, "--questionnaires", questionnaires, "--listen",
                "\(own):\(port)", "--verbose",
            ] + arguments, environment: Command.environment(home: folder, environment), folder: folder, isWatched: true)
        let line = try Self.firstLine(of: child)
        guard let found = line.split(separator: ":").last.flatMap({ Int($0) }), line.contains("listening on http://")
        else { throw Unexpected("the host said “\(line)”") }
        port = found
        process = child
    }

    /// Reads the pipe until the first line is whole.
    static func firstLine(of child: ChildProcess) throws -> String {
        var bytes: [UInt8] = []
        while true {
            var waited = pollfd(fd: child.outputDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waited, 1, patienceMilliseconds) == 1 else {
                throw Unexpected("the host does not say that it listens")
            }
            var byte: UInt8 = 0
            guard read(child.outputDescriptor, &byte, 1) == 1 else {
                throw Unexpected("the host did not start: \(try child.end().errors)")
            }
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
    }

    /// Stops the host as a service manager does.
    @discardableResult
    func stop() throws -> Outcome {
        guard let process else { throw Unexpected("the host does not run") }
        process.send(SIGTERM)
        let outcome = try process.end()
        formerLog += outcome.errors
        self.process = nil
        return outcome
    }

    /// The host's machine loses its power.
    func kill() {
        process?.send(SIGKILL)
        formerLog += (try? process?.end().errors) ?? ""
        process = nil
    }

    // MARK: What it was asked, and what it holds

    struct Exchange: Hashable {
        var method: String
        var path: String
        var status: Int
    }

    /// Every request so far with its answer, from the host's own log.
    var exchanges: [Exchange] {
        (formerLog + (process?.errorsSoFar ?? "")).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 4, let status = Int(words[words.count - 1]), words[words.count - 2].hasPrefix("/")
            else {
                return nil
            }
            return Exchange(
                method: String(words[words.count - 3]), path: String(words[words.count - 2]), status: status)
        }
    }

    /// What it has written to its log so far.
    var log: String { formerLog + (process?.errorsSoFar ?? "") }

    /// The ids of the tests that the host holds.
    var tests: [String] {
        Files.names(in: data + "/tests", suffix: ".test.json").map { String($0.dropLast(".test.json".count)) }
    }

    func test(_ id: String) throws -> Data { try Files.read("\(data)/tests/\(id).test.json") }

    /// Publishes a questionnaire, or another version of it.
    func publish(_ questionnaire: Questionnaire) throws {
        try Files.write(questionnaire.json, to: "\(questionnaires)/\(questionnaire.id).json")
    }

    func withdraw(_ id: String) throws { try Files.remove("\(questionnaires)/\(id).json") }
}

/// Ports below the kernel's ephemeral range: while a host is away, its port stays its own.
enum SteadyPort {
    /// A thousand ports for this process alone: it holds their lock until it exits.
    private static let reserved = Result {
        for first in stride(from: 20_000, to: 32_000, by: 1000) {
            let path = "\(NSTemporaryDirectory())/quire-tests-\(getuid())-\(first).lock"
            let lock = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
            guard lock >= 0 else { throw Unexpected("cannot open \(path): \(String(cString: strerror(errno)))") }
            if flock(lock, LOCK_EX | LOCK_NB) == 0 { return first..<first + 1000 }
            close(lock)
        }
        throw Unexpected("all ports are reserved: too many runs of tests at once")
    }

    private static let lastOffset = Mutex(0)

    static func next() throws -> Int {
        let reserved = try reserved.get()
        return try lastOffset.withLock { offset in
            for _ in reserved {
                offset += 1
                let port = reserved.lowerBound + offset % reserved.count
                if isFree(port) { return port }
            }
            throw Unexpected("no port is free")
        }
    }

    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
