import Localization
import Model
import Quire
import Wording

extension FreshnessState {
    public func words(_ language: Language) -> String {
        switch self {
        case .fresh: language.text("up to date")
        case .unsent(let status, let isKept): status.words(language, isKept: isKept)
        case .stale(let seconds):
            language.text("updated \(TimeSpan.format(seconds: seconds, language)) ago")
        case .edited: language.text("edited here")
        case .gone: language.text("no longer on the server's list")
        case .notHere: language.text("not downloaded")
        }
    }
}
