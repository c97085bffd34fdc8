import Localization
import Sync

extension Contact.Trouble {
    /// The meaning for the person, in one sentence.
    package func words(_ language: Language) -> String {
        switch self {
        case .tokenRefused:
            language.text(
                "The server refuses the token: set the right one with “quire remote set URL --token-file FILE”.")
        case .notTheServer:
            language.text(
                "What answered was not the Quire server, but a login page, a proxy or another site. Everything waits here."
            )
        }
    }
}
