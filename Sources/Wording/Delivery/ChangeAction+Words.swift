import Localization
import Model

extension ChangeAction {
    /// The action, as a person reads it.
    package func words(_ language: Language) -> String {
        switch self {
        case .create: language.text("Created here")
        case .edit: language.text("Edited here")
        case .delete: language.text("Deleted here")
        case .favorite: language.text("Made a favourite")
        case .unfavorite: language.text("Removed from favourites")
        case .attach: language.text("Attached here")
        }
    }
}
