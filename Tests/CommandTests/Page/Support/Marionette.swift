import Foundation

/// The driver of Firefox: its own protocol, Marionette, which has WebDriver's commands under other names. A message is its
/// length, a colon, and `[0, number, command, parameters]`; the reply `[1, number, error, value]`.
final class Marionette: BrowserDriver {
    private let folder: String
    private var browsers: [String: Running] = [:]

    private struct Running {
        var process: ChildProcess
        var client: RawClient
        var unread: [UInt8] = []
        var number = 0
    }

    init(folder: String) { self.folder = folder }

    deinit { for browser in browsers.values { browser.process.send(SIGKILL) } }

    func start(_ traits: BrowserTraits) throws -> (session: String, process: pid_t?) {
        try Files.makeFolder(traits.profile)
        var preferences = [
            "marionette.port": "0", "app.update.enabled": "false", "browser.shell.checkDefaultBrowser": "false",
            "datareporting.policy.dataSubmissionEnabled": "false",
            "toolkit.telemetry.reportingpolicy.firstRun": "false",
            "network.captive-portal-service.enabled": "false", "network.connectivity-service.enabled": "false",
            "browser.safebrowsing.malware.enabled": "false", "extensions.update.enabled": "false",
            "intl.accept_languages": "\"\(traits.language)\"",
            "layout.css.prefers-color-scheme.content-override": traits.isDark ? "0" : "1",
        ]
        if !traits.hasScript { preferences["javascript.enabled"] = "false" }
        let text = preferences.sorted { $0.key < $1.key }.map { "user_pref(\"\($0.key)\", \($0.value));\n" }.joined()
        try Files.write(text, to: traits.profile + "/user.js")
        let portPath = traits.profile + "/MarionetteActivePort"
        if Files.exists(portPath) { try Files.remove(portPath) }
        let process = try ChildProcess(
            [
                "firefox-esr", "--marionette", "--headless", "--no-remote", "--profile", traits.profile, "--width",
                "\(traits.width)", "--height", "\(traits.height + Self.barHeight)",
            ], environment: Command.environment(home: folder), folder: folder)
        let client = try wait(for: "Firefox") { () -> RawClient? in
            guard let port = (try? Files.text(portPath)).flatMap({ Int($0.filter(\.isNumber)) }) else { return nil }
            return try? RawClient(port: port)
        }
        var running = Running(process: process, client: client)
        _ = try Self.message(&running)
        let made = try Self.exchange(&running, "WebDriver:NewSession", ["unhandledPromptBehavior": "ignore"])
        guard let id = made["sessionId"].text else { throw Unexpected("no session: \(made)") }
        browsers[id] = running
        return ("/session/\(id)", process.identifier)
    }

    /// What Firefox puts above a page, in pixels.
    private static let barHeight = 86

    @discardableResult
    func command(_ method: String, _ path: String, _ body: Any? = nil) throws -> JSON {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count > 1, var running = browsers[parts[1]] else { throw Unexpected("no session at \(path)") }
        defer { browsers[parts[1]]?.unread = running.unread }
        browsers[parts[1]]?.number += 1
        running.number = browsers[parts[1]]?.number ?? 0
        if method == "DELETE" {
            browsers[parts[1]] = nil
            _ = try? Self.exchange(&running, "Marionette:Quit", ["flags": ["eForceQuit"]])
            running.process.send(SIGKILL)
            _ = try running.process.end()
            return .null
        }
        var parameters = body as? [String: Any] ?? [:]
        let rest = Array(parts.dropFirst(2))
        let name = try Self.name(method, rest, &parameters)
        let value = try Self.exchange(&running, name, parameters)
        return value.keys == ["value"] ? value["value"] : value
    }

    private static func name(_ method: String, _ parts: [String], _ parameters: inout [String: Any]) throws -> String {
        if parts.count > 2, parts[0] == "element" {
            parameters["id"] = parts[1]
            if parts.count == 4 { parameters["name"] = parts[3] }
            let names = [
                "click": "ElementClick", "value": "ElementSendKeys", "text": "GetElementText",
                "property": "GetElementProperty",
            ]
            if let name = names[parts[2]] { return "WebDriver:" + name }
        }
        let names = [
            "POST url": "Navigate", "GET url": "GetCurrentURL", "POST refresh": "Refresh", "POST back": "Back",
            "POST forward": "Forward", "GET source": "GetPageSource", "POST window/new": "NewWindow",
            "GET window": "GetWindowHandle", "POST window": "SwitchToWindow", "POST execute/sync": "ExecuteScript",
            "POST execute/async": "ExecuteAsyncScript", "GET screenshot": "TakeScreenshot",
            "POST element": "FindElement", "POST actions": "PerformActions", "POST window/rect": "SetWindowRect",
        ]
        guard let name = names[method + " " + parts.joined(separator: "/")] else {
            throw Unexpected("Marionette has no name here for \(method) \(parts)")
        }
        if name == "TakeScreenshot" { parameters["full"] = false }
        return "WebDriver:" + name
    }

    private static func exchange(_ running: inout Running, _ name: String, _ parameters: [String: Any]) throws -> JSON {
        let content = try JSONSerialization.data(withJSONObject: [0, running.number, name, parameters] as [Any])
        running.client.send(Array("\(content.count):".utf8) + content)
        let reply = try message(&running)
        if let error = reply[2]["error"].text {
            throw DriverError(kind: error, message: reply[2]["message"].text ?? "")
        }
        return reply[3]
    }

    private static func message(_ running: inout Running) throws -> JSON {
        let limit = Date().addingTimeInterval(120)
        while Date() < limit {
            if let colon = running.unread.firstIndex(of: UInt8(ascii: ":")),
                let length = Int(String(decoding: running.unread[..<colon], as: UTF8.self)),
                running.unread.count > colon + length
            {
                let content = running.unread[(colon + 1)...(colon + length)]
                defer { running.unread.removeFirst(colon + length + 1) }
                return try JSON(parsing: String(decoding: content, as: UTF8.self))
            }
            let begun = Date()
            let more = running.client.received(atMost: 1)
            // It comes back empty when nothing came for a while, and at once when the other side has closed.
            if more.isEmpty, begun.timeIntervalSinceNow > -5 { break }
            running.unread += more
        }
        throw Unexpected("Firefox does not answer")
    }
}
