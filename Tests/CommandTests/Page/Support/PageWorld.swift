import Foundation

/// A host with the sample questionnaires, a device that has them, its page, and a browser with access.
final class PageWorld {
    let folder: TemporaryFolder
    let host: HostProcess
    let device: Device
    let page: ServeProcess
    private let driver: any BrowserDriver
    private let traits: BrowserTraits
    private(set) var browser: Browser
    let hasScript: Bool

    /// - Parameter isEntered: the browser has used the printed address.
    init(
        _ engine: Engine = .usual, hasScript: Bool = true, language: String = "en", isDark: Bool = false,
        width: Int = 1100, height: Int = 900, questionnaires: [String]? = nil, isEntered: Bool = true
    ) throws {
        self.hasScript = hasScript
        folder = try TemporaryFolder()
        host = try HostProcess(
            folder: folder.path, questionnaires: questionnaires == nil ? Command.samples : nil, isRestarted: true)
        for (number, text) in (questionnaires ?? []).enumerated() {
            try Files.write(text, to: "\(host.questionnaires)/\(number).json")
        }
        try host.start()
        device = try Device(folder.path, of: host)
        page = try ServeProcess(device)
        try page.start()
        driver = try engine.driver(folder: folder.path, language: language)
        traits = BrowserTraits(
            profile: folder.path + "/profile", hasScript: hasScript, language: language, isDark: isDark, width: width,
            height: height)
        browser = try Browser(driver, traits)
        guard isEntered else { return }
        try browser.open(page.invitation)
        if !hasScript { try browser.click("#enter button") }
        // The form of the code leads to the list, whenever its reply comes: what is opened before that would be left again.
        _ = try browser.find("#list, #rooms")
    }

    /// The browser is killed and started again with what it kept.
    func restartBrowser() throws {
        browser.quit()
        browser = try Browser(driver, traits)
    }

    func close() throws {
        browser.quit()
        try page.stop()
        try host.stop()
    }
}
