import Model
import OutboxStore
import Quire
import Wording

/// Sentences of the page that are made of values.
struct PageWords: Sendable {
    let language: Language

    func text(_ text: LocalizedText, context: String? = nil) -> String { language.text(text, context: context) }

    subscript(key: Words.Key) -> String { Words.text(key, language) }

    func questions(_ count: Int) -> String {
        language.plural(count, one: "1 question", other: "\(count) questions")
    }

    func answers(_ count: Int) -> String {
        language.plural(count, one: "1 answer", other: "\(count) answers")
    }

    func found(_ count: Int, isSearch: Bool) -> String {
        let number = language.plural(count, one: "1 questionnaire", other: "\(count) questionnaires")
        return isSearch ? text("Found: \(number)") : number
    }

    func drafts(_ count: Int) -> String {
        count == 1
            ? text("draft in progress") : language.plural(count, one: "1 draft", other: "\(count) drafts")
    }

    func tooLong(_ name: String) -> String {
        let most = ByteCount.format(Attachment.maximumBytes, language)
        return text("“\(name)” is longer than \(most), the most that one file may have. It is not attached.")
    }

    func place(_ number: Int, of count: Int) -> String {
        text("Question \(number) of \(count)")
    }

    func answered(_ number: Int, of count: Int) -> String {
        text("\(number) of \(count) answered")
    }

    func timeLeft(_ seconds: Int) -> String {
        if seconds <= 0 { return text("time is over") }
        let time = TimeSpan.clock(seconds: seconds)
        return text("\(time) left")
    }

    func ago(_ seconds: Double) -> String {
        let span = TimeSpan.format(seconds: seconds, language)
        return seconds < 10 ? text("just now") : text("\(span) ago")
    }

    func lastSync(_ moment: Timestamp?, now: Timestamp) -> String {
        guard let moment else { return text("Never synced") }
        let ago = ago(now.seconds(since: moment))
        return text("Synced \(ago)")
    }

    func gaps(_ count: Int) -> String {
        if count == 0 { return text("Every question has an answer.") }
        return language.plural(
            count, one: "1 question has no answer:", other: "\(count) questions have no answer:")
    }

    func carriedOver(_ count: Int, of all: Int) -> String {
        if count == all { return text("All answers are carried over.") }
        return text("\(count) of \(all) answers are carried over; the others stay in the old draft.")
    }

    /// A line for each answer that did not fit, below a heading.
    func leftBehind(_ answers: [(question: String, answer: String)]) -> String {
        let lines = answers.map { question, answer in
            let clipped = question.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(100)
            return text("“\(clipped)” – \(answer)")
        }
        let heading = text("Not carried over from the old version:")
        return ([heading] + lines).joined(separator: "\n")
    }

    func requiredMissing(_ numbers: [Int]) -> String {
        let list = numbers.prefix(12).map(String.init).joined(separator: ", ") + (numbers.count > 12 ? "…" : "")
        return numbers.count == 1
            ? text("Question \(list) still needs an answer.")
            : text("Questions \(list) still need an answer.")
    }

    func filesLost(_ names: [String]) -> String {
        let list = names.map { text("“\($0)”") }.joined(separator: ", ")
        return text("Not on this device any more: \(list). Attach the same file again, or remove it.")
    }

    /// How many files a question takes.
    func atMostFiles(_ most: Int) -> String {
        language.plural(most, one: "At most 1 file.", other: "At most \(most) files.")
    }

    /// What is wrong with an answer; `nil` for a valid or a blank one.
    func fault(_ answer: Answer?, _ question: Question) -> String? {
        switch question.problem(with: answer) {
        case nil: nil
        case .notNumber(let text): notANumber(text)
        case .ambiguous(let text, _) where question.input == .decimal: numberFault(text)
        case let problem?: question.words(for: problem, language)
        }
    }

    /// The fault of a number; `nil` for a valid one.
    func numberFault(_ text: String) -> String? {
        switch WrittenNumber(text) {
        case .number: nil
        case .ambiguous(let fraction, let whole):
            self.text("“\(text.prefix(40))” may mean \(fraction) or \(whole): write \(whole) or \(fraction).")
        case .none: text.allSatisfy(\.isWhitespace) ? nil : notANumber(text)
        }
    }

    private func notANumber(_ text: String) -> String {
        self.text(
            "“\(text.prefix(40))” is not a number. It is saved as you typed it, but must be a number before the test can be sent."
        )
    }

    func mapLabel(_ number: Int, isAnswered: Bool, isFlagged: Bool = false, isInvalid: Bool = false) -> String {
        var state = isAnswered ? text("answered") : text("not answered")
        if isInvalid { state += ", " + text("must be corrected") }
        if isFlagged { state += ", " + text("flagged") }
        return text("Question \(number), \(state)")
    }

    func number(_ value: Double) -> String {
        let tenths = (value * 10).rounded() / 10
        let text = tenths == tenths.rounded() && abs(tenths) < 1e15 ? "\(Int64(tenths))" : "\(tenths)"
        return text.replacing(".", with: language.decimalSeparator)
    }

    func of(_ maximum: Double) -> String { text("of \(number(maximum))") }

    // MARK: A test's next step

    /// The next step of a test, without mentioning commands.
    func next(_ item: OutboxItem, isKept: Bool, isDue: Bool, isOnline: Bool, _ way: DeliveryWay) -> String {
        switch item.status {
        case .empty, .inProgress: text("Not finished yet.")
        case .done where isKept:
            text("The hub has it and will deliver it. You will see here when the server has it.")
        case .done: waiting(isDue: isDue, isOnline: isOnline, way)
        case .sending: text("It is on its way right now.")
        case .sent, .checking:
            text("The server has it. The rating will appear here.")
        case .rated: ""
        case .conflict, .rejected:
            text("You decide: try again, change the answers, or discard it. Until then it stays here.")
        }
    }
}

extension TestStatus {
    /// Which colour a state has.
    var tone: String {
        switch self {
        case .empty, .inProgress: "draft"
        case .done, .sending: "busy"
        case .sent, .checking: "calm"
        case .rated: "good"
        case .conflict, .rejected: "bad"
        }
    }
}
