import Model
import Sync

extension Contact.Trouble {
    /// The meaning for the person, in one sentence.
    public func words(_ language: Language) -> String {
        switch self {
        case .tokenRefused:
            language.pick(
                "The server refuses the token: set the right one with “quire remote set URL --token-file FILE”.",
                "Сервер не принимает токен: задайте верный командой «quire remote set URL --token-file ФАЙЛ».")
        case .notTheServer:
            language.pick(
                "What answered was not the Quire server, but a login page, a proxy or another site. Everything waits here.",
                "Ответил не сервер Quire, а страница входа в сеть, прокси или другой сайт. Всё ждёт здесь.")
        }
    }
}
