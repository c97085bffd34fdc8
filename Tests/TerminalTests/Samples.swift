import Model

@testable import Terminal

/// A generator whose numbers are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

enum Samples {
    static let started = Timestamp(secondsSinceEpoch: 1_790_000_000)

    static func options(_ count: Int) -> [String] { (1...count).map { "option \($0)" } }

    /// One question of each kind, and one with many options.
    static let mixed = Questionnaire(
        id: "mixed", title: "All kinds of questions",
        questions: [
            Question(
                id: "capital", text: "What is the capital of Peru?", kind: .choice,
                options: ["Quito", "Lima", "La Paz"]),
            Question(id: "primes", text: "Which are primes?", kind: .choices, options: ["2", "4", "5", "9"]),
            Question(id: "why", text: "Say why.", kind: .text),
            Question(id: "size", text: "How many?", kind: .number, required: true),
            Question(id: "many", text: "One of many.", kind: .choice, options: options(27)),
        ])

    static func record(
        _ questionnaire: Questionnaire, _ answers: [Answer] = [], resume: ResumePosition? = nil
    ) -> TestRecord {
        var generator = SeededGenerator(seed: 1)
        let reference = QuestionnaireReference(
            id: questionnaire.id, title: questionnaire.title, digest: Digest(sha256Of: []))
        return TestRecord(
            id: .random(using: &generator), questionnaire: reference, dateStarted: started, answers: answers,
            resume: resume, deviceId: "device", sequence: 1)
    }

    static func request(
        _ questionnaire: Questionnaire = mixed, _ record: TestRecord? = nil, language: Language = .english,
        notice: String? = nil, network: String? = nil
    ) -> TakeRequest {
        TakeRequest(
            questionnaire: questionnaire, record: record ?? self.record(questionnaire), language: language,
            notice: notice, mediaPath: { $0.path == "here.png" ? "/cache/here.png" : nil }, buttonTitle: "Send",
            networkState: network, now: { started })
    }

    static func screen(
        _ questionnaire: Questionnaire = mixed, _ record: TestRecord? = nil, columns: Int = 80, rows: Int = 24,
        language: Language = .english, notice: String? = nil, network: String? = nil, isPlain: Bool = false
    ) -> TakeScreen {
        TakeScreen(
            request(questionnaire, record, language: language, notice: notice, network: network),
            size: ScreenSize(columns: columns, rows: rows), isPlain: isPlain)
    }
}

extension TakeScreen {
    /// Several keys, each with its effects.
    @discardableResult
    mutating func press(_ keys: Key...) -> [Effect] {
        var effects: [Effect] = []
        for key in keys { effects += handle(key) }
        return effects
    }

    mutating func write(_ text: String) {
        for character in text { _ = handle(.character(character)) }
    }

    func answer(_ id: String) -> [String]? { test.record.answer(to: id)?.texts }

    /// Places of the chosen options in the order shown.
    func chosen(of question: Question) -> [Int] {
        question.shownPlaces(of: question.match(test.record.answer(to: question.id)).places)
    }

    /// The option, or the row of the review, on which the person is.
    var highlight: Int { place == .review ? reviewRow : editor.highlight }

    /// What is on the screen, without the space at the end of lines and the empty lines at the end.
    var picture: String {
        var lines = frame.lines.map { line in
            var text = line.text
            while text.last == " " { text.removeLast() }
            return text
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n")
    }
}
