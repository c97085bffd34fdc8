import Localization
import Quire

extension Finding {
    /// The fault.
    public func words(_ language: Language) -> String { what.words(language) }

    /// The advice; after a failed repair, the reason for the failure.
    public func advice(_ language: Language) -> String {
        repairFault.map { language.text("it could not be repaired: \($0)") } ?? what.advice(language)
    }
}
