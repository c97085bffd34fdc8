import Foundation

/// The browser engines that the page and the app are tried in.
enum Engine: String, Sendable {
    case chromium, firefox, webKit

    func driver(folder: String, language: String = "en") throws -> any BrowserDriver {
        switch self {
        case .chromium, .webKit: try WebDriver(self, folder: folder, language: language)
        case .firefox: Marionette(folder: folder)
        }
    }

    var isInstalled: Bool {
        switch self {
        case .chromium: Command.isInstalled("chromedriver") && Command.isInstalled("chromium")
        case .firefox: Command.isInstalled("firefox-esr")
        case .webKit: Command.isInstalled("WebKitWebDriver") && Command.isInstalled("Xvfb") && Self.miniBrowser != nil
        }
    }

    /// WebKitGTK's own browser, which its driver steers. It is on no search path.
    static let miniBrowser: String? = {
        let folders = Files.names(in: "/usr/lib").map { "/usr/lib/" + $0 } + ["/usr/libexec", "/usr/lib64", "/usr/lib"]
        return folders.flatMap { folder in
            ["webkitgtk-6.0", "webkit2gtk-4.1", "webkit2gtk-4.0"].map { "\(folder)/\($0)/MiniBrowser" }
        }.first(where: Files.exists)
    }()

    /// What the MiniBrowser puts above a page, in pixels.
    static let miniBrowserBar = 75

    static let chromiumBinary: String =
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":").map { "\($0)/chromium" }
        .first(where: Files.exists) ?? "/usr/bin/chromium"
}
