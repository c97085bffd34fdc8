import Localization
import Model

extension RevisionChain {
    /// For a list: that the test is a revision, and which.
    package func mark(_ language: Language) -> String? {
        number.map { language.text("revision \($0)") }
    }

    /// Where the test is opened: which revision it is, of which test, and which was the first; nothing where it is none.
    package func words(_ language: Language) -> String? {
        guard let previous = earlier.last, let first = earlier.first, let number else { return nil }
        return first == previous
            ? language.text("A revision of \(previous) (revision \(number)).")
            : language.text("A revision of \(previous) (revision \(number)); the first version is \(first).")
    }
}
