import Foundation

/// What a browser is started with.
struct BrowserTraits {
    /// A folder that outlives the browser: its cookies and its storage. WebKitGTK keeps none while it is automated.
    var profile: String
    var hasScript = true
    var language = "en"
    var isDark = false
    /// Of the window, in CSS pixels.
    var width = 1100
    var height = 900
    /// Further arguments for Chromium.
    var more: [String] = []
}

/// Steers browsers of one engine. Commands are named as WebDriver names them (W3C), whatever the protocol.
protocol BrowserDriver: AnyObject {
    /// Starts a browser; the path of its session and, where it is known, its process.
    func start(_ traits: BrowserTraits) throws -> (session: String, process: pid_t?)

    /// Carries out a command of a session; its value. Throws `DriverError` for what the browser could not do.
    @discardableResult
    func command(_ method: String, _ path: String, _ body: Any?) throws -> JSON
}

/// What the browser could not do.
struct DriverError: Error, CustomStringConvertible {
    var kind: String
    var message: String
    var description: String { "\(kind): \(message.prefix(300))" }

    /// The element is not shown yet, or another one is over it: the page is still being built.
    var isNotReady: Bool { ["element click intercepted", "element not interactable"].contains(kind) }

    /// The page was replaced between the look and the act; the drivers have several ways to say it.
    var isStale: Bool {
        ["stale element reference", "no such node", "detached shadow root"].contains(kind)
            || message.contains("does not belong to the document") || message.contains("no longer attached")
            // WebKit's words for it.
            || message.contains("Could not parse element text")
    }
}
