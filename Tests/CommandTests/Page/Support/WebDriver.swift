import Foundation

/// The drivers of Chromium and WebKitGTK: the WebDriver protocol (W3C, “WebDriver”), commands as JSON over HTTP.
final class WebDriver: BrowserDriver {
    private let engine: Engine
    private let process: ChildProcess
    private let port: Int
    /// The connection of the last command: one for each of them would leave thousands of ports in their time of waiting.
    private var kept: RawClient?
    /// WebKitGTK has no mode without a screen.
    private let display: VirtualDisplay?

    /// Where Chromium and its driver are installed.
    static var isInstalled: Bool { Engine.chromium.isInstalled }

    /// - Parameter language: of Chromium's own words, where it has them.
    init(_ engine: Engine, folder: String, language: String) throws {
        self.engine = engine
        guard engine == .webKit else {
            display = nil
            (process, port) = try Self.chromeDriver(folder: folder, language: language)
            return
        }
        let display = try VirtualDisplay(folder: folder)
        let port = try SteadyPort.next()
        let environment = Command.environment(
            home: folder,
            ["DISPLAY": display.name, "GDK_BACKEND": "x11", "LIBGL_ALWAYS_SOFTWARE": "1", "NO_AT_BRIDGE": "1"])
        process = try ChildProcess(["WebKitWebDriver", "--port=\(port)"], environment: environment, folder: folder)
        (self.display, self.port) = (display, port)
        try wait(for: "WebKitWebDriver", seconds: 60) { try? RawClient(port: port) }
    }

    /// The driver listens by IPv4 and IPv6, and ends where another program was faster: then it is started again. A port that
    /// the kernel chooses by chance would be free for one of the two, and for the other often that of a closed connection.
    private static func chromeDriver(folder: String, language: String) throws -> (ChildProcess, port: Int) {
        for _ in 0..<10 {
            let process = try ChildProcess(
                ["chromedriver", "--port=\(try SteadyPort.next())"],
                environment: Command.environment(home: folder, ["LANGUAGE": language]), folder: folder,
                isWatched: true)
            do {
                while true {
                    let line = try HostProcess.firstLine(of: process)
                    guard line.contains("started successfully on port") else { continue }
                    guard let port = line.split(whereSeparator: { !$0.isNumber }).last.flatMap({ Int($0) }) else {
                        throw Unexpected("chromedriver said “\(line)”")
                    }
                    return (process, port)
                }
            } catch {
                guard "\(error)".contains("Address already in use") else { throw error }
            }
        }
        throw Unexpected("chromedriver finds no free port")
    }

    deinit { process.send(SIGTERM) }

    func start(_ traits: BrowserTraits) throws -> (session: String, process: pid_t?) {
        var capabilities: [String: Any] = ["unhandledPromptBehavior": "ignore"]
        if engine == .webKit {
            capabilities["webkitgtk:browserOptions"] =
                ["binary": Engine.miniBrowser ?? "MiniBrowser", "args": ["--automation"]] as [String: Any]
        } else {
            capabilities["browserName"] = engine == .headlessShell ? "chrome-headless-shell" : "chrome"
            capabilities["goog:chromeOptions"] = chromeOptions(traits)
        }
        let made = try command("POST", "/session", ["capabilities": ["alwaysMatch": capabilities]])
        guard let id = made["sessionId"].text else { throw Unexpected("no session: \(made)") }
        let session = "/session/\(id)"
        if engine == .webKit {
            try command(
                "POST", session + "/window/rect",
                ["width": traits.width, "height": traits.height + Engine.miniBrowserBar])
        }
        return (session, made["capabilities"]["goog:processID"].whole.map { pid_t($0) })
    }

    private func chromeOptions(_ traits: BrowserTraits) -> [String: Any] {
        var arguments = [
            "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
            "--force-device-scale-factor=1", "--hide-scrollbars", "--user-data-dir=\(traits.profile)",
            "--window-size=\(traits.width),\(traits.height)", "--lang=\(traits.language)",
            "--accept-lang=\(traits.language)",
        ]
        arguments += traits.more
        if engine == .headlessShell {
            // It has no person's settings. A second argument of this name would replace the first.
            let settings =
                (traits.isDark ? ["preferredColorScheme=0"] : []) + (traits.hasScript ? [] : ["scriptEnabled=false"])
            if !settings.isEmpty { arguments.append("--blink-settings=" + settings.joined(separator: ",")) }
            return ["args": arguments, "binary": Engine.headlessShellBinary]
        }
        arguments.append("--headless=new")
        if traits.isDark { arguments.append("--force-dark-mode") }
        var preferences: [String: Any] = ["intl.accept_languages": traits.language]
        if !traits.hasScript { preferences["profile.managed_default_content_settings.javascript"] = 2 }
        return ["args": arguments, "prefs": preferences, "binary": Engine.chromiumBinary]
    }

    /// Carries out a command; its value.
    @discardableResult
    func command(_ method: String, _ path: String, _ body: Any? = nil) throws -> JSON {
        var content = Data()
        if method == "POST" { content = try JSONSerialization.data(withJSONObject: body ?? [String: String]()) }
        let client = try kept ?? RawClient(port: port)
        kept = nil
        let head =
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json; charset=utf-8\r\n"
            + "Content-Length: \(content.count)\r\n\r\n"
        // At once: a content that comes later waits for the head's acknowledgement, which the kernel puts off by 40 ms.
        client.send(Array(head.utf8) + content)
        let (body, isKept) = try Self.body(client)
        if isKept { kept = client }
        let reply = try JSON(parsing: body)
        if let error = reply["value"]["error"].text {
            throw DriverError(kind: error, message: reply["value"]["message"].text ?? "")
        }
        return reply["value"]
    }

    /// A reply, and whether its connection takes another command.
    private static func body(_ client: RawClient) throws -> (String, isKept: Bool) {
        var bytes: [UInt8] = []
        var end: Int?
        while end == nil {
            let more = client.received(atMost: 1)
            guard !more.isEmpty else {
                throw Unexpected(
                    "the browser's driver does not answer: \(String(decoding: bytes.prefix(200), as: UTF8.self))")
            }
            bytes += more
            end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
        }
        let head = String(decoding: bytes.prefix(end ?? 0), as: UTF8.self).lowercased()
        let length = head.components(separatedBy: "content-length:").dropFirst().first
            .flatMap { Int($0.drop { $0 == " " }.prefix(while: \.isNumber)) }
        guard let length else { throw Unexpected("the browser's driver says no length: \(head)") }
        var body = Array(bytes.dropFirst(end ?? 0))
        body += client.received(exactly: length - body.count)
        guard body.count == length else { throw Unexpected("the browser's driver broke off") }
        return (String(decoding: body, as: UTF8.self), !head.contains("connection: close"))
    }
}
