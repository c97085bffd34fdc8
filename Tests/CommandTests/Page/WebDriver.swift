import Foundation

/// The drivers of Chromium and WebKitGTK: the WebDriver protocol (W3C, “WebDriver”), commands as JSON over HTTP.
final class WebDriver: BrowserDriver {
    private let engine: Engine
    private let process: ChildProcess
    private let port: Int
    /// WebKitGTK has no mode without a screen.
    private let display: VirtualDisplay?

    /// Where Chromium and its driver are installed.
    static var isInstalled: Bool { Engine.chromium.isInstalled }

    init(_ engine: Engine, folder: String) throws {
        self.engine = engine
        guard engine == .webKit else {
            display = nil
            (process, port) = try Self.chromeDriver(folder: folder)
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

    /// The driver gets a free port for IPv6, and ends where the same one is in use for IPv4: then it is started again.
    private static func chromeDriver(folder: String) throws -> (ChildProcess, port: Int) {
        for _ in 0..<10 {
            let process = try ChildProcess(
                ["chromedriver", "--port=0"], environment: Command.environment(home: folder), folder: folder,
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
            capabilities["browserName"] = "chrome"
            capabilities["goog:chromeOptions"] = Self.chromeOptions(traits)
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

    private static func chromeOptions(_ traits: BrowserTraits) -> [String: Any] {
        var arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
            "--force-device-scale-factor=1", "--hide-scrollbars", "--user-data-dir=\(traits.profile)",
            "--window-size=\(traits.width),\(traits.height)", "--lang=\(traits.language)",
            "--accept-lang=\(traits.language)",
        ]
        arguments += traits.more
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
        let client = try RawClient(port: port)
        client.send(
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json; charset=utf-8\r\n"
                + "Content-Length: \(content.count)\r\nConnection: close\r\n\r\n")
        client.send(Array(content))
        let reply = try JSON(parsing: try Self.body(client))
        if let error = reply["value"]["error"].text {
            throw DriverError(kind: error, message: reply["value"]["message"].text ?? "")
        }
        return reply["value"]
    }

    private static func body(_ client: RawClient) throws -> String {
        var bytes: [UInt8] = []
        let limit = Date().addingTimeInterval(patienceSeconds)
        while Date() < limit {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n") {
                let head = text[..<end.lowerBound].lowercased()
                let length = head.components(separatedBy: "content-length:").dropFirst().first
                    .flatMap { Int($0.drop { $0 == " " }.prefix(while: \.isNumber)) }
                let body = text[end.upperBound...]
                if let length, body.utf8.count >= length { return String(body) }
            }
            let more = client.received(atMost: 1)
            if more.isEmpty { break }
            bytes += more
        }
        throw Unexpected("the browser's driver does not answer: \(String(decoding: bytes.prefix(200), as: UTF8.self))")
    }
}
