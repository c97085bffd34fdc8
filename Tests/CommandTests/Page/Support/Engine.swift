import Foundation

/// The browser engines that the page and the app are tried in.
enum Engine: String, Sendable {
    case chromium, firefox, webKit
    /// Chromium without its windows, menus and settings, and without incognito and background sync. It starts in a fifth of
    /// the time.
    case headlessShell

    /// Most tests run in the shell; in the whole of Chromium where the shell is not installed, or with
    /// `QUIRE_BROWSER=chromium`.
    static let usual: Engine =
        Engine.headlessShell.isInstalled && ProcessInfo.processInfo.environment["QUIRE_BROWSER"] != "chromium"
        ? .headlessShell : .chromium

    func driver(folder: String, language: String = "en") throws -> any BrowserDriver {
        switch self {
        case .chromium, .headlessShell, .webKit: try WebDriver(self, folder: folder, language: language)
        case .firefox: Marionette(folder: folder)
        }
    }

    var isInstalled: Bool {
        switch self {
        case .chromium: Command.isInstalled("chromedriver") && Command.isInstalled("chromium")
        case .headlessShell: Command.isInstalled("chromedriver") && Files.exists(Self.headlessShellBinary)
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

    /// The program itself: what Debian has on the search path is a script that would not end with its session.
    static let headlessShellBinary = "/usr/lib/chromium/chromium-headless-shell"
}
