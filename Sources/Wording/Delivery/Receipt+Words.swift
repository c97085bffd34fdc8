import Localization
import Model

/// Later changes of a rated test, in words.
extension Receipt {
    /// That another rating replaced the one that the person may have seen; `nil` where that is not so.
    package func changeWords(_ language: Language) -> String? {
        guard let former, let rating else { return nil }
        let before = former.evaluation.summary(language)
        guard let moment = rating.ratedAt else {
            return language.text("The rating was changed. Before, it was \(before).")
        }
        return language.text("The rating was changed \(moment.inWords). Before, it was \(before).")
    }

    /// That a teacher sent the test back, and why.
    package func returnWords(_ language: Language) -> String? {
        guard let returned else { return nil }
        guard let name = returned.by else {
            return language.text("Returned to be corrected, \(returned.at.inWords): \(returned.comment)")
        }
        return language.text("Returned to be corrected by \(name), \(returned.at.inWords): \(returned.comment)")
    }
}
