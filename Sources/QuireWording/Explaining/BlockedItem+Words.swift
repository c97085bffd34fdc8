import Localization
import Model
import OutboxStore
import Quire
import Wording

extension BlockedItem {
    /// Why it waits, how the last attempt failed, why the server rejected it, or why the file cannot be read.
    package func reason(_ language: Language) -> String? {
        let words: String? =
            switch reason {
            case .obstacle(let obstacle)?: obstacle.words(language)
            case .bytesMissing(let path)?: language.text("its file is missed as \(path)")
            case .tried(let delivery)?: delivery.reason(in: language)
            case .status(let status)?: status.words(language)
            case .unreadable(let error)?: error.description
            case nil: nil
            }
        return words == "" ? nil : words
    }
}
