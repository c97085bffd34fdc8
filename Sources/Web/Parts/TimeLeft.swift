import Model
import Wording

/// The rest of a test's time as the screens of a draft show it: a clock that the script moves on, and a line in words near the
/// end. Without a script both are those of the moment at which the page was made.
struct TimeLeft {
    let draft: TestScreen.Draft
    let context: ScreenContext

    /// Adds them to the model of a screen. There are none without a time limit.
    func add(to model: inout [String: any Sendable], _ notices: inout [[String: String]]) {
        let (questionnaire, words) = (draft.questionnaire, context.words)
        let start = draft.stored.record.dateStarted
        let now = context.store.limitClock.now(for: draft.stored.record)
        guard let limit = questionnaire.timeLimit, let left = questionnaire.timeLeft(since: start, now: now)
        else { return }
        let milliseconds = max(0, Double(limit) - max(0, now.seconds(since: start))) * 1000
        let over = words[questionnaire.finishesAtTimeLimit ? .handedInSoon : .timeIsOver]
        var clock = ["text": words.timeLeft(left), "left": "\(Int(bounded: milliseconds))", "over": over]
        for seconds in Questionnaire.timeWarnings { clock["in\(seconds)"] = words.language.timeWarning(seconds) }
        if questionnaire.finishesAtTimeLimit { clock["finish"] = "/t/\(draft.id)/finish" }
        model["clock"] = clock
        if left == 0 { notices.append(["kind": "warn", "text": over]) }
        model["timeWarning"] = Questionnaire.timeWarning(left: left).map(words.language.timeWarning)
    }
}
