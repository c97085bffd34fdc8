import Model
import Wording

/// The words of the screen in the person's language.
struct TakeWords: Sendable {
    let language: Language

    func text(_ text: LocalizedText, context: String? = nil) -> String { language.text(text, context: context) }

    func place(_ number: Int, of count: Int) -> String { text("\(number) of \(count)") }

    func answered(_ number: Int, of count: Int) -> String {
        text("\(number) of \(count) answered")
    }

    func timeLeft(_ seconds: Int) -> String {
        let time = TimeSpan.clock(seconds: seconds)
        return text("\(time) left")
    }

    var saved: String { language.savedLocally }
    var review: String { text("Review", context: "heading") }
    var timeIsOver: String { text("time is over") }
    var timeIsOverAtLength: String {
        text("The time is over. Your answers are saved, and you can still finish.")
    }
    var required: String { text("(required)") }
    var more: String { text("more") }
    var notAnswered: String { text("not answered") }
    var needsAnswer: String { text("needs an answer") }
    /// Why an answer cannot stay as it is, in a few words.
    func needsCorrection(_ question: Question) -> String {
        question.input == .decimal && question.constraint == nil
            ? text("not a number") : text("needs to be corrected")
    }
    var answerTitle: String { text("Your answer") }
    func fieldTitle(_ question: Question) -> String {
        let title: String
        switch question.input {
        case .decimal: title = text("Your answer, a number")
        case .moment(let form):
            title = text("Your answer, a \(form.words(language))")
        case .location: title = text("Your answer, coordinates like 55.75, 37.62")
        default: title = answerTitle
        }
        return title + (question.unit.map { " (\($0))" } ?? "")
    }

    /// What is wrong with the answer that the person is leaving.
    func problem(_ problem: AnswerProblem, with question: Question) -> String {
        switch problem {
        case .notNumber(let text): notANumber(text)
        case .ambiguous(let text, _) where question.input == .decimal: notANumber(text)
        default: question.words(for: problem, language)
        }
    }
    func otherAnswer(_ texts: [String]) -> String {
        let list = texts.map { text("“\($0)”") }.joined(separator: ", ")
        return text("Your answer: \(list).")
    }
    func ownAnswer(_ texts: [String]) -> String {
        let list = texts.map { text("“\($0)”") }.joined(separator: ", ")
        return text("Your answer: \(list). It is not among the options of this version.")
    }
    /// How a question is answered, where that is not plain.
    func how(_ question: Question) -> String? {
        switch question.input {
        case .options: text("Choose any number of them")
        case .order: text("Put all of them in order, the first at the top")
        case .rows(isMultiple: true): text("Choose any number of them in each row")
        default: nil
        }
    }
    func earlierWords(_ answer: String) -> String {
        text("Your earlier answer in words: “\(clip(answer, width: 200))”. A new answer replaces it.")
    }
    func placedTwice(_ number: Int) -> String {
        text("Each option has one place, and \(number) is there twice.")
    }
    func order(_ line: String) -> String { text("Your order: \(line)") }
    var picture: String { text("Picture") }
    var sound: String { text("Sound") }
    var film: String { text("Film") }
    var attachment: String { text("Attachment") }
    func attached(_ names: [String]) -> String {
        let list = names.joined(separator: ", ")
        return text("Attached: \(list)")
    }
    /// How files are attached that are an answer.
    ///
    /// - Parameter most: how many there may be.
    func howToAttach(_ command: String, most: Int?) -> String {
        let limit = most.map { language.plural($0, one: " (at most 1 file)", other: " (at most \($0) files)") } ?? ""
        return text("Attach files in another terminal, or on the page: \(command) FILE") + limit
    }
    var isFirst: String { text("This is the first question.") }
    var onlyNumbers: String {
        text("Only a number belongs here, such as 42 or -1.5.")
    }
    var tooLong: String { text("This is too long for an answer.") }

    func notANumber(_ text: String) -> String {
        if case .ambiguous(let fraction, let whole) = WrittenNumber(text) {
            return self.text(
                "“\(clip(text, width: 30))” may mean \(fraction) or \(whole): write \(whole) or \(fraction).")
        }
        return self.text("“\(clip(text, width: 30))” is not a number. Correct it, or clear it with Ctrl-U.")
    }

    func noSuchOption(_ number: Int, count: Int) -> String {
        text("There is no number \(number), only 1 to \(count).")
    }

    var onlyOne: String { text("Only one answer can be chosen here.") }

    func enterANumber(count: Int) -> String {
        text("Enter a number from 1 to \(count).")
    }

    func notSaved(_ reason: String) -> String {
        text("Not saved: \(reason). Trying again…")
    }

    func leaveUnsaved(_ reason: String) -> String {
        text("Not saved: \(reason). Exit anyway and lose it? y = exit, any other key = stay")
    }

    func gaps(_ count: Int, button: String) -> String {
        let questions = language.plural(
            count, one: "1 question has no answer", other: "\(count) questions have no answer")
        return text("\(questions). Press Enter again: \(button).")
    }

    /// Names the questions that stand in the way of finishing.
    ///
    /// - Parameter isNumbers: whether all of `wrong` are answers that are not numbers.
    func blocked(missing: [Int], wrong: [Int], isNumbers: Bool = true) -> String {
        var sentences: [String] = []
        if missing.count == 1, let only = missing.first {
            sentences.append(text("Question \(only) still needs an answer."))
        } else if !missing.isEmpty {
            let names = list(missing)
            sentences.append(text("Questions \(names) still need an answer."))
        }
        if !wrong.isEmpty {
            let names = list(wrong)
            sentences.append(
                isNumbers
                    ? wrong.count == 1
                        ? text("The answer to question \(names) is not a number.")
                        : text("The answers to questions \(names) are not numbers.")
                    : wrong.count == 1
                        ? text("The answer to question \(names) needs to be corrected.")
                        : text("The answers to questions \(names) need to be corrected."))
        }
        return sentences.joined(separator: " ")
    }

    private func list(_ numbers: [Int]) -> String {
        var names = numbers.prefix(8).map(String.init)
        if numbers.count > names.count { return names.joined(separator: ", ") + "…" }
        guard names.count > 1, let last = names.popLast() else { return names.joined() }
        return names.joined(separator: ", ") + text(" and ") + last
    }

    func savedGoOn(_ command: String) -> String {
        text("Saved. Continue with: \(command)")
    }
}
