import Localization
import Model

/// The words for people who are about to begin.
extension Availability.Access {
    /// Why a test cannot begin, and what to do; `nil` where it can.
    ///
    /// - Parameter time: writes a moment for people.
    package func refusal(_ language: Language, _ time: (Timestamp) -> String = { $0.inWords }) -> String? {
        switch self {
        case .open, .late: nil
        case .opens(let moment): language.text("It opens at \(time(moment)): come back then.")
        case .closed(let moment): language.text("It was closed at \(time(moment)): ask your teacher.")
        case .noAttemptLeft(let count):
            language.plural(
                count, one: "You have handed it in already, and it may be handed in once: ask your teacher.",
                other: "You have handed it in \(count) times, and it may not be handed in again: ask your teacher.")
        }
    }
}

extension Availability {
    /// Facts about when it may be taken and how often, for the person who is about to begin.
    ///
    /// - Parameters:
    ///   - attempt: the number of the test that would begin.
    ///   - time: writes a moment for people.
    package func facts(
        now: Timestamp, attempt: Int, _ language: Language, _ time: (Timestamp) -> String = { $0.inWords }
    ) -> [String] {
        var facts: [String] = []
        if let opensAt, now < opensAt { facts.append(language.text("opens at \(time(opensAt))")) }
        if let closesAt {
            facts.append(
                isClosed(at: now)
                    ? language.text("closed at \(time(closesAt))") : language.text("closes at \(time(closesAt))"))
            if isClosed(at: now), late == .mark { facts.append(language.text("late tests are marked")) }
        }
        if let attempts, attempts > 0 {
            facts.append(language.text("attempt \(min(attempt, attempts)) of \(attempts)"))
        }
        return facts
    }
}
