import Localization
import Model
import OutboxStore
import Quire
import Wording

extension Explanation.Step {
    package func words(_ language: Language) -> String {
        func say(_ text: LocalizedText) -> String { language.text(text) }
        return switch self {
        case .take(let id): say("Continue with “quire take \(id)”, or send it with “quire finish \(id)”.")
        case .sync: say("Sent with the next “quire sync” that reaches the server.")
        case .retry(let id, let time):
            say("Tried again after \(time.inWords); “quire outbox retry \(id)” makes it due now.")
        case .sending:
            say("Being sent now; if that was interrupted, the next sync sends it again under the same id.")
        case .obstacle(let obstacle): obstacle.words(language)
        case .askMedium(let medium): medium.next(language)
        case .askReceipt(.test):
            say(
                "It has no receipt: the next “quire sync” asks the server for it, and sends the test again where the server has not got it."
            )
        case .askReceipt: say("It has no receipt: the next “quire sync” asks the server for it.")
        case .askRating: say("“quire sync” asks for the rating.")
        case .sendAgain(let id): say("“quire outbox retry \(id)” sends it again; it is never counted twice.")
        case .restore(let path): say("It cannot go without its file: put it back as \(path).")
        case .repair:
            say("Nothing is sent. Repair the file, or run “quire doctor --repair” to move it to quarantine.")
        case .reopen(let id, mayRetry: true):
            say(
                "You decide: “quire outbox retry \(id)”, “quire outbox reopen \(id)” (a new revision) or “quire outbox discard \(id)”."
            )
        case .reopen(let id, mayRetry: false):
            say(
                "You decide: “quire outbox reopen \(id)” (a new revision of this one) or “quire outbox discard \(id)”."
            )
        case .decide(let decision, let isDeletedThere):
            (isDeletedThere ? say("The server has deleted it. ") : "") + say("You decide: ")
                + decision.commands(language) + "."
        case .correct(let id): say("Correct it with “quire outbox reopen \(id)”.")
        case .takeCorrection(let id): say("Continue the correction with “quire take \(id)”.")
        case .corrected(let id): say("The correction is \(id).")
        case .attachment(let name, let step): "\(name): " + step.words(language)
        }
    }
}
