import Localization
import Model

extension TimeTaken {
    /// For a limit that was exceeded by an unknown time.
    package static func exceeded(_ language: Language) -> String {
        language.text("The time limit was exceeded.")
    }

    /// “The time limit of 2 s was exceeded: it took 4 s (by this device's clock).”
    package func words(_ language: Language) -> String {
        let limit = TimeSpan.exact(seconds: Double(limitSeconds), language)
        let took = TimeSpan.exact(seconds: tookSeconds.rounded(.up), language)
        let measure = measuredBy.words(language)
        return isLate
            ? language.text("The time limit of \(limit) was exceeded: it took \(took) (\(measure)).")
            : language.text("It took \(took) of \(limit) (\(measure)).")
    }
}

extension TimeTaken.Measure {
    func words(_ language: Language) -> String {
        switch self {
        case .activeTime: language.text("time with the test open")
        case .serverClock: language.text("by the server's clock")
        case .deviceClock: language.text("by the device's clock")
        }
    }
}
