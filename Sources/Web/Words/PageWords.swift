import Model
import OutboxStore
import Quire

/// Sentences of the page that are made of values.
struct PageWords: Sendable {
    let language: Language

    func pick(_ english: String, _ russian: String) -> String { language.pick(english, russian) }

    subscript(key: Words.Key) -> String { Words.text(key, language) }

    /// A Russian noun after a number: 1 вопрос, 2 вопроса, 5 вопросов.
    private func russian(_ count: Int, _ one: String, _ few: String, _ many: String) -> String {
        let (tens, ones) = (count % 100, count % 10)
        if ones == 1, tens != 11 { return "\(count) \(one)" }
        return (2...4).contains(ones) && !(12...14).contains(tens) ? "\(count) \(few)" : "\(count) \(many)"
    }

    func questions(_ count: Int) -> String {
        pick(Language.count(count, "question"), russian(count, "вопрос", "вопроса", "вопросов"))
    }

    func answers(_ count: Int) -> String {
        pick(Language.count(count, "answer"), russian(count, "ответ", "ответа", "ответов"))
    }

    func found(_ count: Int, isSearch: Bool) -> String {
        let number = pick(
            Language.count(count, "questionnaire"), russian(count, "анкета", "анкеты", "анкет"))
        return isSearch ? pick("Found: \(number)", "Найдено: \(number)") : number
    }

    func drafts(_ count: Int) -> String {
        count == 1
            ? pick("draft in progress", "есть черновик")
            : pick("\(count) drafts", russian(count, "черновик", "черновика", "черновиков"))
    }

    func tooLong(_ name: String) -> String {
        let most = ByteCount.format(Attachment.maximumBytes, language)
        return pick(
            "“\(name)” is longer than \(most), the most that one file may have. It is not attached.",
            "«\(name)» больше, чем \(most) — предел для одного файла. Он не приложен.")
    }

    func place(_ number: Int, of count: Int) -> String {
        pick("Question \(number) of \(count)", "Вопрос \(number) из \(count)")
    }

    func answered(_ number: Int, of count: Int) -> String {
        pick("\(number) of \(count) answered", "отвечено: \(number) из \(count)")
    }

    func timeLeft(_ seconds: Int) -> String {
        if seconds <= 0 { return pick("time is over", "время вышло") }
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let time = hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
        return pick("\(time) left", "осталось \(time)")
    }

    func ago(_ seconds: Double) -> String {
        let span = TimeSpan.format(seconds: seconds, language)
        return seconds < 10 ? pick("just now", "только что") : pick("\(span) ago", "\(span) назад")
    }

    func lastSync(_ moment: Timestamp?, now: Timestamp) -> String {
        guard let moment else { return pick("Never synced", "Ещё не обновлялось") }
        let ago = ago(now.seconds(since: moment))
        return pick("Synced \(ago)", "Обновлено \(ago)")
    }

    func gaps(_ count: Int) -> String {
        if count == 0 { return pick("Every question has an answer.", "Ответы есть на все вопросы.") }
        let questions = russian(count, "вопрос", "вопроса", "вопросов")
        return pick(
            count == 1 ? "1 question has no answer:" : "\(count) questions have no answer:", "Без ответа \(questions):")
    }

    func carriedOver(_ count: Int, of all: Int) -> String {
        if count == all { return pick("All answers are carried over.", "Переносятся все ответы.") }
        return pick(
            "\(count) of \(all) answers are carried over; the others stay in the old draft.",
            "Переносится ответов: \(count) из \(all); остальные остаются в старом черновике.")
    }

    /// A line for each answer that did not fit, below a heading.
    func leftBehind(_ answers: [(question: String, answer: String)]) -> String {
        let lines = answers.map { question, answer in
            let clipped = question.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(100)
            return pick("“\(clipped)” – \(answer)", "«\(clipped)» — \(answer)")
        }
        let heading = pick("Not carried over from the old version:", "Не перенесено из старой версии:")
        return ([heading] + lines).joined(separator: "\n")
    }

    func requiredMissing(_ numbers: [Int]) -> String {
        let list = numbers.prefix(12).map(String.init).joined(separator: ", ") + (numbers.count > 12 ? "…" : "")
        return numbers.count == 1
            ? pick("Question \(list) still needs an answer.", "Нужен ответ на вопрос \(list).")
            : pick("Questions \(list) still need an answer.", "Нужны ответы на вопросы \(list).")
    }

    func filesLost(_ names: [String]) -> String {
        let list = names.map { "“\($0)”" }.joined(separator: ", ")
        let russianList = names.map { "«\($0)»" }.joined(separator: ", ")
        return pick(
            "Not on this device any more: \(list). Attach the same file again, or remove it.",
            "Больше нет на этом устройстве: \(russianList). Приложите тот же файл снова или удалите его.")
    }

    /// What is wrong with an answer; `nil` for a valid or a blank one.
    func fault(_ answer: Answer?, _ question: Question) -> String? {
        switch question.problem(with: answer) {
        case nil: nil
        case .notNumber(let text): notANumber(text)
        case .ambiguous(let text, _) where question.kind.input == .decimal: numberFault(text)
        case let problem?: question.words(for: problem, language)
        }
    }

    /// The fault of a number; `nil` for a valid one.
    func numberFault(_ text: String) -> String? {
        switch WrittenNumber(text) {
        case .number: nil
        case .ambiguous(let fraction, let whole):
            pick(
                "“\(text.prefix(40))” may mean \(fraction) or \(whole): write \(whole) or \(fraction).",
                "«\(text.prefix(40))» можно понять как \(fraction) или \(whole): напишите \(whole) или \(fraction).")
        case .none: text.allSatisfy(\.isWhitespace) ? nil : notANumber(text)
        }
    }

    private func notANumber(_ text: String) -> String {
        pick(
            "“\(text.prefix(40))” is not a number. It is saved as you typed it, but must be a number before the test can be sent.",
            "«\(text.prefix(40))» — не число. Ответ сохранён как есть, но отправить тест можно будет только с числом.")
    }

    func mapLabel(_ number: Int, isAnswered: Bool) -> String {
        let state = isAnswered ? pick("answered", "есть ответ") : pick("not answered", "нет ответа")
        return pick("Question \(number), \(state)", "Вопрос \(number), \(state)")
    }

    func number(_ value: Double) -> String {
        let tenths = (value * 10).rounded() / 10
        let text = tenths == tenths.rounded() && abs(tenths) < 1e15 ? "\(Int64(tenths))" : "\(tenths)"
        return pick(text, text.replacing(".", with: ","))
    }

    func of(_ maximum: Double) -> String { pick("of \(number(maximum))", "из \(number(maximum))") }

    // MARK: A test's next step

    /// The next step of a test, without mentioning commands.
    func next(_ item: OutboxItem, isKept: Bool, isDue: Bool, isOnline: Bool, _ way: DeliveryWay) -> String {
        switch item.status {
        case .empty, .inProgress: pick("Not finished yet.", "Ещё не закончено.")
        case .done where isKept:
            pick(
                "The hub has it and will deliver it. You will see here when the server has it.",
                "Узел получил его и передаст дальше. Когда он дойдёт до сервера, это будет видно здесь.")
        case .done: waiting(isDue: isDue, isOnline: isOnline, way)
        case .sending: pick("It is on its way right now.", "Отправляется прямо сейчас.")
        case .sent, .checking:
            pick("The server has it. The rating will appear here.", "Сервер его получил. Оценка появится здесь.")
        case .rated: ""
        case .conflict, .rejected:
            pick(
                "You decide: try again, change the answers, or discard it. Until then it stays here.",
                "Решать вам: повторить, изменить ответы или убрать. До тех пор он останется здесь.")
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
