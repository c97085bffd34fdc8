/// How a screen is looked at: what stands in the names of the pictures' files.
struct Look: Sendable, CustomStringConvertible {
    var language: String
    var isDark: Bool
    var isPhone: Bool
    var description: String { "\(language)-\(isDark ? "dark" : "light")-\(isPhone ? "phone" : "desktop")" }

    static let all = ["en", "ru"].flatMap { language in
        [false, true].flatMap { isDark in
            [false, true].map { Look(language: language, isDark: isDark, isPhone: $0) }
        }
    }

    /// Each language, colour scheme and width once; all with `QUIRE_BIG=1`.
    static let sample =
        triesAll
        ? all : all.filter { $0.isDark == $0.isPhone && $0.isDark == ($0.language == "ru") }

    var width: Int { isPhone ? 412 : 1000 }

    /// A window is never as narrow as a phone.
    func narrow(_ browser: Browser) throws {
        try browser.chromium(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": 900, "deviceScaleFactor": 1, "mobile": isPhone])
    }
}
