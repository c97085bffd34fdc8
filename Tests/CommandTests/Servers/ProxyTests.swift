import Foundation
import Testing

/// A real proxy in front of everything.
private final class ProxyProcess {
    let port: Int
    private let log: String
    private let process: ChildProcess

    /// - Parameter more: lines of its configuration.
    init(_ folder: String, _ more: String...) throws {
        port = Self.freePort()
        log = folder + "/proxy-\(port).log"
        let settings = folder + "/proxy-\(port).conf"
        try Files.write(
            (["Port \(port)", "Listen 127.0.0.1", "Allow 127.0.0.1", "LogFile \"\(log)\"", "LogLevel Connect"] + more)
                .joined(separator: "\n") + "\n", to: settings)
        process = try ChildProcess(
            ["tinyproxy", "-d", "-c", settings], environment: Command.environment(home: folder), folder: folder)
        let port = port
        try wait(for: "the proxy") { Self.isListening(port) ? true : nil }
    }

    deinit { process.send(SIGTERM) }

    /// How many tunnels it was asked for.
    var tunnels: Int {
        get throws { try Files.text(log).components(separatedBy: "CONNECT ").count - 1 }
    }

    private static func freePort() -> Int {
        withSocket { descriptor in
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            return withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                    _ = bind(descriptor, place, length)
                    _ = getsockname(descriptor, place, &length)
                }
                return Int(UInt16(bigEndian: pointer.pointee.sin_port))
            }
        }
    }

    private static func isListening(_ port: Int) -> Bool {
        withSocket { descriptor in
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
    }

    private static func withSocket<Result>(_ body: (Int32) throws -> Result) rethrows -> Result {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return try body(descriptor)
    }
}

@Suite("Behind an HTTP proxy", .enabled(if: Command.isInstalled("tinyproxy"), "tinyproxy is not installed"))
struct ProxyTests {
    private let folder: TemporaryFolder
    private let host: HostProcess

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
    }

    @Test("a device pulls and sends through the proxy of the variables, and without it where no_proxy says so")
    func device() throws {
        let proxy = try ProxyProcess(folder.path)
        let device = Device(folder.path)
        try device.done("init", "--remote", host.address)
        let through = ["http_proxy": "http://127.0.0.1:\(proxy.port)"]
        #expect(try device.quire(["pull"], environment: through).exitCode == 0)
        let tunnels = try proxy.tunnels
        #expect(tunnels > 0)
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let sent = try device.quire(["sync"], environment: through)
        #expect(sent.exitCode == 0 && host.tests == [id], "\(sent)")
        #expect(try proxy.tunnels > tunnels)

        let before = try proxy.tunnels
        let direct = try device.quire(["pull"], environment: through.merging(["NO_PROXY": "127.0.0.0/8"]) { $1 })
        let upper = try device.quire(["pull"], environment: ["HTTP_PROXY": "http://127.0.0.1:\(proxy.port)"])
        #expect(try direct.exitCode == 0 && upper.exitCode == 0 && proxy.tunnels == before)
        // The setting comes first.
        try device.done("remote", "set", host.address, "--proxy", "none")
        #expect(try device.quire(["pull"], environment: through).exitCode == 0)
        #expect(try proxy.tunnels == before)
        try device.done("remote", "set", host.address, "--proxy", "http://127.0.0.1:\(proxy.port)")
        try device.done("pull")
        #expect(try proxy.tunnels > before)
    }

    @Test(
        "a proxy that wants a password, refuses, or is not there is named, nothing is lost, and the password is not shown"
    )
    func refusals() throws {
        let proxy = try ProxyProcess(folder.path, "BasicAuth ada l0velace", "ConnectPort 1")
        let open = try ProxyProcess(folder.path, "BasicAuth ada l0velace")
        let device = try Device(folder.path, of: host)
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        func sync(_ address: String) throws -> Outcome {
            let outcome = try device.quire(["sync", "--now"], environment: ["http_proxy": address])
            #expect(!outcome.errors.contains("l0velace"), "\(outcome)")
            return outcome
        }
        let asked = try sync("http://127.0.0.1:\(open.port)")
        #expect(
            asked.exitCode == 69 && asked.isOneSentence && asked.errors.contains("a name and a password"), "\(asked)")
        let refused = try sync("http://ada:l0velace@127.0.0.1:\(proxy.port)")
        #expect(refused.exitCode == 69 && refused.isOneSentence && refused.errors.contains("refuses"), "\(refused)")
        let absent = try sync("http://127.0.0.1:1")
        #expect(absent.exitCode == 69 && absent.isOneSentence && absent.errors.contains("127.0.0.1:1"), "\(absent)")
        let wrong = try sync("socks5://ada:l0velace@127.0.0.1:\(open.port)")
        #expect(wrong.exitCode == 64 && wrong.isOneSentence && wrong.errors.contains("$http_proxy"), "\(wrong)")
        #expect(device.tests("done") == [id] && host.tests.isEmpty)
        // What needs no network works with a proxy that cannot be used.
        #expect(try device.quire(["list"], environment: ["http_proxy": "socks5://x"]).exitCode == 0)

        let sent = try sync("http://ada:l0velace@127.0.0.1:\(open.port)")
        #expect(sent.exitCode == 0 && host.tests == [id], "\(sent)")
    }

    @Test("a hub reaches its server through a proxy, with TLS inside the tunnel", .enabled(if: Certificates.canBeMade))
    func hub() throws {
        let certificates = Certificates(folder: folder.path)
        let authority = try certificates.authority()
        let port = host.port
        let front = try ScriptedServer(certificate: try certificates.signed("localhost")) { _ in .handOn(port: port) }
        let proxy = try ProxyProcess(folder.path, "BasicAuth ada l0velace")
        // The device itself, over TLS.
        let device = Device(folder.path)
        try device.done("init", "--remote", "https://localhost:\(front.port)")
        let environment = [
            "HTTPS_PROXY": "http://ada:l0velace@127.0.0.1:\(proxy.port)", "SSL_CERT_FILE": authority,
        ]
        let pulled = try device.quire(["pull"], environment: environment)
        #expect(try pulled.exitCode == 0 && proxy.tunnels > 0, "\(pulled)")

        let before = try proxy.tunnels
        let hub = HubProcess(folder: folder.path, upstream: host.address)
        try hub.start("--proxy", "http://ada:l0velace@127.0.0.1:\(proxy.port)")
        let behind = Device(folder.path, name: "behind")
        try behind.done("init", "--remote", hub.address)
        try behind.done("pull")
        let id = try behind.take("keyed", answers: Questionnaire.rightAnswers)
        try behind.done("sync")
        try wait(for: "the test at the host") { host.tests.contains(id) ? true : nil }
        #expect(try proxy.tunnels > before)
        try hub.stop()
    }
}
