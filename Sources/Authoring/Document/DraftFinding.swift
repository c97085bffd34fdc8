import Model

/// A fault or a probable mistake in a draft, with its place.
struct DraftFinding: Hashable, Sendable {
    enum Place: Hashable, Sendable {
        case question(String)
        case section(Int)
        case settings
        case questions
    }

    enum Problem: Hashable, Sendable {
        case found(QuestionnaireCheck.Problem)
        /// A value that readers refuse, with the member and their reason.
        case refused(String)
        case noTitle
        case noQuestions
        case noText
        case oneOption
        case optionTwice(String)
        /// The host does not have one of its pictures or sounds, counted from 1.
        case noFile(Int)
    }

    var problem: Problem
    var place: Place

    /// Whether the draft cannot be published with it.
    var isFault: Bool {
        switch problem {
        case .found(let problem): QuestionnaireCheck.Finding(problem: problem, place: "").isFault
        case .refused, .noTitle, .noQuestions, .noText, .noFile: true
        case .oneOption, .optionTwice: false
        }
    }

    /// All findings in the order of the document.
    static func all(in document: DraftDocument) -> [DraftFinding] {
        var findings = own(in: document)
        let bytes = document.bytes
        do throws(DocumentFault) {
            for finding in QuestionnaireCheck.findings(in: try QuestionnaireRules(json: bytes)) {
                findings.append(DraftFinding(problem: .found(finding.problem), place: place(finding.place, document)))
            }
            if !findings.contains(where: \.isFault) { _ = try AnswerKey.checkedQuestionnaire(json: bytes) }
        } catch {
            findings.append(DraftFinding(problem: .refused("\(error)"), place: place(error.field ?? "", document)))
        }
        return sorted(findings, document)
    }

    private static func own(in document: DraftDocument) -> [DraftFinding] {
        var findings: [DraftFinding] = []
        if document.title.trimmed.isEmpty { findings.append(DraftFinding(problem: .noTitle, place: .settings)) }
        let questions = document.questions
        if questions.isEmpty { findings.append(DraftFinding(problem: .noQuestions, place: .questions)) }
        for question in questions {
            func add(_ problem: Problem) {
                findings.append(DraftFinding(problem: problem, place: .question(question.id)))
            }
            if question.text.trimmed.isEmpty { add(.noText) }
            guard question.kind.shape == .option || question.kind.shape == .options else { continue }
            if question.options.count == 1, !(question.members["other"]?.truth ?? false) { add(.oneOption) }
            var seen: Set<String> = []
            if let twice = question.options.first(where: { !seen.insert($0).inserted }) { add(.optionTwice(twice)) }
        }
        return findings
    }

    /// Like `questions[3].condition` and `key.q1.accept[0].value`.
    private static func place(_ path: String, _ document: DraftDocument) -> Place {
        func index(_ name: String) -> Int? {
            guard path.hasPrefix(name + "[") else { return nil }
            return Int(path.dropFirst(name.utf8.count + 1).prefix { $0 != "]" })
        }
        let questions = document.questions
        if let place = index("questions") {
            return questions.indices.contains(place) ? .question(questions[place].id) : .questions
        }
        if let place = index("sections") { return .section(place) }
        for name in ["key.", "answerKey.", "multiAnswerKey."] where path.hasPrefix(name) {
            let rest = path.dropFirst(name.utf8.count)
            // An id may have dots.
            let ids = questions.map(\.id).filter { rest == $0 || rest.hasPrefix($0 + ".") }
            if let id = ids.max(by: { $0.utf8.count < $1.utf8.count }) { return .question(id) }
        }
        return path.hasPrefix("questions") ? .questions : .settings
    }

    static func sorted(_ findings: [DraftFinding], _ document: DraftDocument) -> [DraftFinding] {
        func rank(_ finding: DraftFinding) -> Int {
            switch finding.place {
            case .settings: -2
            case .questions: -1
            case .question(let id): document.place(of: id) ?? Int.max - 1
            case .section: Int.max
            }
        }
        return findings.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
            .map(\.element)
    }
}
