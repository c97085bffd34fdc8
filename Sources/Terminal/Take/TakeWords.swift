import Model

/// The words of the screen in the person's language.
struct TakeWords: Sendable {
    let language: Language

    func pick(_ english: String, _ russian: String) -> String { language.pick(english, russian) }

    func place(_ number: Int, of count: Int) -> String { pick("\(number) of \(count)", "\(number) из \(count)") }

    func answered(_ number: Int, of count: Int) -> String {
        pick("\(number) of \(count) answered", "отвечено: \(number) из \(count)")
    }

    func timeLeft(_ seconds: Int) -> String {
        let minutes = seconds / 60 % 60
        let time =
            (seconds >= 3600 ? "\(seconds / 3600):" + padded(minutes) : "\(minutes)") + ":" + padded(seconds % 60)
        return pick("\(time) left", "осталось \(time)")
    }

    private func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    var saved: String { language.savedLocally }
    var review: String { pick("Review", "Проверка ответов") }
    var timeIsOver: String { pick("time is over", "время вышло") }
    var timeIsOverAtLength: String {
        pick(
            "The time is over. Your answers are saved, and you can still finish.",
            "Время вышло. Ответы сохранены, тест ещё можно закончить.")
    }
    var required: String { pick("(required)", "(обязательный вопрос)") }
    var more: String { pick("more", "ещё") }
    var notAnswered: String { pick("not answered", "нет ответа") }
    var needsAnswer: String { pick("needs an answer", "нужен ответ") }
    /// Why an answer cannot stay as it is, in a few words.
    func needsCorrection(_ question: Question) -> String {
        question.kind.input == .decimal && question.constraint == nil
            ? pick("not a number", "не число") : pick("needs to be corrected", "нужно исправить")
    }
    var answerTitle: String { pick("Your answer", "Ваш ответ") }
    func fieldTitle(_ question: Question) -> String {
        let title: String
        switch question.kind.input {
        case .decimal: title = pick("Your answer, a number", "Ваш ответ, число")
        case .moment(let form):
            title = pick("Your answer, a \(form.words(.english))", "Ваш ответ: \(form.words(.russian))")
        default: title = answerTitle
        }
        return title + (question.unit.map { " (\($0))" } ?? "")
    }

    /// What is wrong with the answer that the person is leaving.
    func problem(_ problem: AnswerProblem, with question: Question) -> String {
        switch problem {
        case .notNumber(let text): notANumber(text)
        case .ambiguous(let text, _) where question.kind.input == .decimal: notANumber(text)
        default: question.words(for: problem, language)
        }
    }
    func ownAnswer(_ texts: [String]) -> String {
        pick(
            "Your answer: “\(texts.joined(separator: "”, “"))”. It is not among the options of this version.",
            "Ваш ответ: «\(texts.joined(separator: "», «"))». В этой версии такого варианта нет.")
    }
    var severalHint: String { pick("Choose any number of them", "Выберите один или несколько вариантов") }
    var picture: String { pick("Picture", "Картинка") }
    var sound: String { pick("Sound", "Звук") }
    var film: String { pick("Film", "Видео") }
    var attachment: String { pick("Attachment", "Вложение") }
    func attached(_ names: [String]) -> String {
        let list = names.joined(separator: ", ")
        return pick("Attached: \(list)", "Приложено: \(list)")
    }
    var isFirst: String { pick("This is the first question.", "Это первый вопрос.") }
    var onlyNumbers: String {
        pick("Only a number belongs here, such as 42 or -1.5.", "Здесь нужно число, например 42 или -1,5.")
    }
    var tooLong: String { pick("This is too long for an answer.", "Слишком длинно для ответа.") }

    func notANumber(_ text: String) -> String {
        if case .ambiguous(let fraction, let whole) = WrittenNumber(text) {
            return pick(
                "“\(clip(text, width: 30))” may mean \(fraction) or \(whole): write \(whole) or \(fraction).",
                "«\(clip(text, width: 30))» можно понять как \(fraction) или \(whole): напишите \(whole) или \(fraction)."
            )
        }
        return pick(
            "“\(clip(text, width: 30))” is not a number. Correct it, or clear it with Ctrl-U.",
            "«\(clip(text, width: 30))» — не число. Исправьте или сотрите (Ctrl-U).")
    }

    func noSuchOption(_ number: Int, count: Int) -> String {
        pick("There is no number \(number), only 1 to \(count).", "Номера \(number) нет, есть только 1–\(count).")
    }

    var onlyOne: String { pick("Only one answer can be chosen here.", "Здесь можно выбрать только один ответ.") }

    func enterANumber(count: Int) -> String {
        pick("Enter a number from 1 to \(count).", "Введите номер от 1 до \(count).")
    }

    func notSaved(_ reason: String) -> String {
        pick("Not saved: \(reason). Trying again…", "Не сохранено: \(reason). Повторяем…")
    }

    func leaveUnsaved(_ reason: String) -> String {
        pick(
            "Not saved: \(reason). Exit anyway and lose it? y = exit, any other key = stay",
            "Не сохранено: \(reason). Всё равно выйти и потерять это? д = выйти, другая клавиша = остаться")
    }

    func gaps(_ count: Int, button: String) -> String {
        let isOne = language == .english ? count == 1 : count % 10 == 1 && count % 100 != 11
        let questions =
            isOne
            ? pick("1 question has no answer", "\(count) вопрос без ответа")
            : pick("\(count) questions have no answer", "\(count) \(russianQuestions(count)) без ответа")
        return pick(
            "\(questions). Press Enter again: \(button).", "\(questions). Нажмите Enter ещё раз: «\(button)».")
    }

    private func russianQuestions(_ count: Int) -> String {
        (2...4).contains(count % 10) && !(12...14).contains(count % 100) ? "вопроса" : "вопросов"
    }

    /// Names the questions that stand in the way of finishing.
    ///
    /// - Parameter isNumbers: whether all of `wrong` are answers that are not numbers.
    func blocked(missing: [Int], wrong: [Int], isNumbers: Bool = true) -> String {
        var sentences: [String] = []
        if missing.count == 1, let only = missing.first {
            sentences.append(pick("Question \(only) still needs an answer.", "Нужен ответ на вопрос \(only)."))
        } else if !missing.isEmpty {
            let names = list(missing)
            sentences.append(pick("Questions \(names) still need an answer.", "Нужны ответы на вопросы \(names)."))
        }
        if !wrong.isEmpty {
            let names = list(wrong)
            sentences.append(
                isNumbers
                    ? wrong.count == 1
                        ? pick(
                            "The answer to question \(names) is not a number.", "Ответ на вопрос \(names) — не число.")
                        : pick(
                            "The answers to questions \(names) are not numbers.",
                            "Ответы на вопросы \(names) — не числа.")
                    : wrong.count == 1
                        ? pick(
                            "The answer to question \(names) needs to be corrected.",
                            "Нужно исправить ответ на вопрос \(names).")
                        : pick(
                            "The answers to questions \(names) need to be corrected.",
                            "Нужно исправить ответы на вопросы \(names)."))
        }
        return sentences.joined(separator: " ")
    }

    private func list(_ numbers: [Int]) -> String {
        var names = numbers.prefix(8).map(String.init)
        if numbers.count > names.count { return names.joined(separator: ", ") + "…" }
        guard names.count > 1, let last = names.popLast() else { return names.joined() }
        return names.joined(separator: ", ") + pick(" and ", " и ") + last
    }

    func savedGoOn(_ command: String) -> String {
        pick("Saved. Continue with: \(command)", "Сохранено. Продолжить: \(command)")
    }
}
