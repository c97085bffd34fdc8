import InMemory
import Model
import Quire
import Sync

/// Sample questionnaires in English and Russian, and a store that holds them, for previews and tests.
public enum PreviewData {
    /// Three questionnaires as their author wrote them: a survey, a quiz with its key, and a form of two questions.
    public static func questionnaires(_ language: Language = .english) -> [String] {
        language == .russian ? russian : english
    }

    /// A store in memory with the sample questionnaires, a draft, a test that waits to be sent and one that was rated; and
    /// the remote that it belongs to.
    public static func store(
        _ language: Language = .english, clock: any StoreClock = ManualClock()
    ) async throws -> (store: QuireStore, remote: ScriptedRemote) {
        let remote = ScriptedRemote(clock: clock)
        for document in questionnaires(language) { try remote.publish(json: Array(document.utf8)) }
        let store = try QuireStore.inMemory(clock: clock)
        _ = try await store.puller(remote).pull()
        let documents = try await openAll(store, remote)
        for (number, document) in documents.enumerated() {
            let answers = samples(document.questionnaire, isComplete: number > 0)
            let test = try store.take(document, answers: answers, isFinished: number > 0).record.id
            guard number == 1 else { continue }
            _ = try await store.sweeper(remote).sweep()
            let maximum = Double(document.questionnaire.questions.count)
            remote.advance(
                test, to: .rated, evaluation: Evaluation(score: maximum - 1, maximum: maximum, ratedAt: clock.now))
            _ = try await store.sweeper(remote).sweep()
        }
        return (store, remote)
    }

    /// In the order of `questionnaires`.
    private static func openAll(_ store: QuireStore, _ remote: ScriptedRemote) async throws -> [OpenedDocument] {
        var documents: [OpenedDocument] = []
        for id in try store.library().map(\.id).sorted() {
            documents.append(try await store.open(id: id, remote: remote))
        }
        return documents
    }

    /// An answer to each question, or to the first alone.
    private static func samples(_ questionnaire: Questionnaire, isComplete: Bool) -> [String: Answer.Value] {
        let questions = questionnaire.questions.prefix(isComplete ? questionnaire.questions.count : 1)
        return Dictionary(
            questions.map { question in
                (question.id, sample(question))
            }, uniquingKeysWith: { first, _ in first })
    }

    private static func sample(_ question: Question) -> Answer.Value {
        switch question.input {
        case .option: .one(question.options[0])
        case .options: .several(Array(question.options.prefix(2)))
        case .decimal: .one("3")
        case .moment(.date): .one("2026-11-25")
        case .moment(.time): .one("14:30")
        case .moment(.dateTime): .one("2026-11-25T14:30:00Z")
        case .order: .several(question.options)
        case .rows, .gaps:
            .object(
                Dictionary(question.parts.map { ($0.id, sample($0).json) }, uniquingKeysWith: { first, _ in first }))
        case .location: .one("55.75, 37.62")
        case .files: .one("")
        case .text, .nothing: .one("…")
        }
    }

    private static let english = [
        #"""
        {
          "id": "birds-at-the-feeder",
          "title": "Birds at the feeder",
          "description": "Watch a feeder for ten minutes and write down what you see.",
          "locale": "en",
          "questions": [
            {"id": "count", "text": "How many birds came?", "kind": "number", "required": true},
            {"id": "kinds", "text": "Which of these did you see?", "kind": "choices",
             "options": ["Great tit", "Blue tit", "House sparrow", "Robin", "Another bird"]},
            {"id": "weather", "text": "How was the weather?", "options": ["Dry", "Rain", "Snow"], "required": true},
            {"id": "notes", "text": "What did the birds do?", "kind": "text"}
          ]
        }
        """#,
        #"""
        {
          "id": "cycling-safely",
          "title": "Cycling safely",
          "description": "Five minutes before the first ride of the year.",
          "locale": "en",
          "questions": [
            {"id": "check", "text": "What do you check before every ride?", "kind": "choices", "required": true,
             "options": ["Brakes", "Tyres", "Lights", "The colour of the frame"]},
            {"id": "turn", "text": "What do you do before you turn left?", "required": true,
             "options": ["Look back and signal", "Ring the bell", "Speed up"]},
            {"id": "lights", "text": "How many lights does a bicycle need in the dark?", "kind": "number"}
          ],
          "answerKey": {"turn": "Look back and signal", "lights": 2},
          "multiAnswerKey": {"check": ["Brakes", "Tyres", "Lights"]}
        }
        """#,
        #"""
        {
          "id": "your-library",
          "title": "Your library",
          "description": "Two questions about the reading room.",
          "locale": "en",
          "questions": [
            {"id": "visits", "text": "How often do you come?", "required": true,
             "options": ["Every week", "Every month", "Less often"]},
            {"id": "wish", "text": "What should we change first?", "kind": "text"}
          ]
        }
        """#,
    ]

    private static let russian = [
        #"""
        {
          "id": "birds-at-the-feeder-ru",
          "title": "Птицы у кормушки",
          "description": "Понаблюдайте за кормушкой десять минут и запишите, что увидели.",
          "locale": "ru",
          "questions": [
            {"id": "count", "text": "Сколько птиц прилетело?", "kind": "number", "required": true},
            {"id": "kinds", "text": "Кого из них вы видели?", "kind": "choices",
             "options": ["Большая синица", "Лазоревка", "Домовый воробей", "Зарянка", "Другая птица"]},
            {"id": "weather", "text": "Какая была погода?", "options": ["Сухо", "Дождь", "Снег"], "required": true},
            {"id": "notes", "text": "Что делали птицы?", "kind": "text"}
          ]
        }
        """#,
        #"""
        {
          "id": "cycling-safely-ru",
          "title": "Безопасно на велосипеде",
          "description": "Пять минут перед первой поездкой в этом году.",
          "locale": "ru",
          "questions": [
            {"id": "check", "text": "Что вы проверяете перед каждой поездкой?", "kind": "choices", "required": true,
             "options": ["Тормоза", "Шины", "Фары", "Цвет рамы"]},
            {"id": "turn", "text": "Что нужно сделать перед поворотом налево?", "required": true,
             "options": ["Оглянуться и показать рукой", "Позвонить в звонок", "Ускориться"]},
            {"id": "lights", "text": "Сколько фонарей нужно велосипеду в темноте?", "kind": "number"}
          ],
          "answerKey": {"turn": "Оглянуться и показать рукой", "lights": 2},
          "multiAnswerKey": {"check": ["Тормоза", "Шины", "Фары"]}
        }
        """#,
        #"""
        {
          "id": "your-library-ru",
          "title": "Ваша библиотека",
          "description": "Два вопроса о читальном зале.",
          "locale": "ru",
          "questions": [
            {"id": "visits", "text": "Как часто вы приходите?", "required": true,
             "options": ["Каждую неделю", "Каждый месяц", "Реже"]},
            {"id": "wish", "text": "Что нам изменить в первую очередь?", "kind": "text"}
          ]
        }
        """#,
    ]
}
