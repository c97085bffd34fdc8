import Localization
import Model

extension Evaluation {
    /// `8 of 10`
    package func summary(_ language: Language) -> String { summary(between: language.text("of")) }
}
