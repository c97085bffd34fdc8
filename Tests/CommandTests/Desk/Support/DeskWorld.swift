import Foundation

/// A real host with its desk, keys for it, and a browser.
final class DeskWorld {
    let folder: TemporaryFolder
    let host: HostProcess
    /// The machine of the host's administrator.
    let office: Device
    private let driver: any BrowserDriver
    let browser: Browser

    /// - Parameters:
    ///   - questionnaires: their documents by the names of their files.
    ///   - zone: the host's `$TZ`.
    init(
        _ questionnaires: [String: String] = [:], hasScript: Bool = true, language: String = "en", isDark: Bool = false,
        width: Int = 1100, height: Int = 900, zone: String? = nil
    ) throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path, isRestarted: true)
        for (name, text) in questionnaires { try Files.write(text, to: "\(host.questionnaires)/\(name).json") }
        try host.start("--desk", environment: zone.map { ["TZ": $0] } ?? [:])
        office = Device(folder.path, name: "office")
        driver = try Engine.usual.driver(folder: folder.path, language: language)
        browser = try Browser(
            driver,
            BrowserTraits(
                profile: folder.path + "/profile", hasScript: hasScript, language: language, isDark: isDark,
                width: width, height: height))
    }

    /// A new key of the host.
    func key(_ role: String) throws -> String {
        guard let key = try office.json("host", "keys", "add", "--data", host.data, "--role", role)["key"].text else {
            throw Unexpected("no key")
        }
        return key
    }

    /// Logs in with a new key.
    func logIn(_ role: String, as name: String = "") throws {
        let key = try key(role)
        try browser.open(host.address + "/desk/")
        try browser.logInToDesk(key, as: name)
    }

    /// The document of the only draft, as its last state has it.
    func draft() throws -> JSON { try latestDraft(below: "\(host.data)/drafts") }

    func close() throws {
        browser.quit()
        try host.stop()
    }
}

extension Browser {
    /// Reaches an element by Tab, then presses keys.
    func reach(_ selector: String, press keys: String...) throws {
        try reach(selector)
        for key in keys { try press(key) }
    }

    /// By the keyboard.
    func logInToDesk(_ key: String, as name: String = "") throws {
        try reach("#key", press: key)
        try reach("#name", press: name + Key.enter)
        _ = try find(".rooms")
    }

    /// Commands of Chromium's own.
    @discardableResult
    func chromium(_ name: String, _ parameters: [String: Any]) throws -> JSON {
        try command("POST", "/goog/cdp/execute", ["cmd": name, "params": parameters])
    }
}
