import Localization
import Model

extension ByteCount {
    /// `1.5 MB`, with the units and the separator of the language.
    package static func format(_ bytes: Int64, _ language: Language) -> String {
        format(
            bytes, units: language.text("B kB MB GB TB").split(separator: " ").map { String($0) },
            decimalSeparator: language.decimalSeparator)
    }
}

extension TimeSpan {
    /// The largest unit that fits: `45 min`, `3 h`, `12 d`.
    package static func format(seconds: Double, _ language: Language) -> String {
        format(seconds: seconds, units: Units(language))
    }

    /// To the second: `1 h 2 min 5 s`.
    package static func exact(seconds: Double, _ language: Language) -> String {
        exact(seconds: seconds, units: Units(language))
    }
}

extension TimeSpan.Units {
    fileprivate init(_ language: Language) {
        self.init(
            seconds: language.text("s"), minutes: language.text("min"), hours: language.text("h"),
            days: language.text("d"))
    }
}
