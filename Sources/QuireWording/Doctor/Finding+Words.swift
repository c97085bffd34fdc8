import Localization
import Quire

extension Finding {
    /// What is not as it should be.
    public func words(_ language: Language) -> String { what.words(language) }

    /// What to do about it; after a repair that failed, why it did.
    public func advice(_ language: Language) -> String {
        repairFault.map { language.text("it could not be repaired: \($0)") } ?? what.advice(language)
    }
}
