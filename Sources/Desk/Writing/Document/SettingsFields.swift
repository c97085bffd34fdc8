import Model

/// The settings of a questionnaire as their form has them: texts as they were typed.
struct SettingsFields: Hashable, Sendable {
    var title = ""
    var description = ""
    var locale = ""
    var isMarkdown = false
    var minutes = ""
    /// In percent.
    var passScore = ""
    var shufflesQuestions = false
    var shufflesOptions = false
    var opensAt = ""
    var closesAt = ""
    var attempts = ""
    var late = "accept"
    /// By what is released: `score`, `verdicts`, `correct`, `explanation`.
    var release: [String: String] = [:]

    /// The release rules, with defaults where the document has none.
    static let releases: [(name: String, standard: String)] = [
        ("score", "rated"), ("verdicts", "rated"), ("correct", "never"), ("explanation", "never"),
    ]

    init() {}

    init(_ document: DraftDocument) {
        let members = document.members
        title = document.title
        description = members["description"]?.text ?? ""
        locale = document.locale ?? ""
        isMarkdown = document.textFormat == .markdown
        minutes = members["timeLimitSeconds"].map { Self.scaled($0, by: 1 / 60) } ?? ""
        passScore = members["passScore"].map { Self.scaled($0, by: 100) } ?? ""
        let shuffle = members["shuffle"]?.members ?? [:]
        shufflesQuestions = shuffle["questions"]?.truth ?? false
        shufflesOptions = shuffle["options"]?.truth ?? false
        let availability = members["availability"]?.members ?? [:]
        opensAt = availability["opensAt"]?.text.map(Self.shown) ?? ""
        closesAt = availability["closesAt"]?.text.map(Self.shown) ?? ""
        attempts = availability.number("attempts")
        late = availability["late"]?.text ?? "accept"
        let release = members["release"]?.members ?? [:]
        for (name, standard) in Self.releases { self.release[name] = release[name]?.text ?? standard }
    }

    func apply(to document: inout DraftDocument) {
        let former = SettingsFields(document)
        document.members["title"] = .string(title)
        document.members.set("description", text: description)
        if locale != former.locale {
            document.members["language"] = nil
            document.members.set("locale", text: locale)
        }
        if isMarkdown != former.isMarkdown { document.members["textFormat"] = isMarkdown ? .string("markdown") : nil }
        // What was not touched keeps its spelling.
        if minutes != former.minutes { set("timeLimitSeconds", minutes, by: 60, isWhole: true, in: &document) }
        if passScore != former.passScore { set("passScore", passScore, by: 0.01, isWhole: false, in: &document) }
        document.members.change("shuffle") {
            $0.set("questions", truth: shufflesQuestions)
            $0.set("options", truth: shufflesOptions)
        }
        document.members.change("availability") { availability in
            if opensAt != former.opensAt { availability.set("opensAt", text: Self.stored(opensAt)) }
            if closesAt != former.closesAt { availability.set("closesAt", text: Self.stored(closesAt)) }
            if attempts != former.attempts { availability.set("attempts", number: attempts) }
            if late != former.late { availability.set("late", text: late == "accept" ? "" : late) }
        }
        document.members.change("release") { members in
            for (name, standard) in Self.releases where release[name] != former.release[name] {
                members.set(name, text: release[name] == standard ? "" : release[name])
            }
        }
    }

    private func set(
        _ name: String, _ text: String, by factor: Double, isWhole: Bool, in document: inout DraftDocument
    ) {
        guard let number = WrittenNumber(text.trimmed).plain.flatMap(Double.init) else {
            // The check finds what is no number.
            document.members.set(name, text: text)
            return
        }
        let value = ((number * factor) * 1e6).rounded() / 1e6
        document.members.set(name, number: DecimalNumber(.number(isWhole ? value.rounded() : value))?.description ?? "")
    }

    private static func scaled(_ value: JSONValue, by factor: Double) -> String {
        guard let number = value.numberText.flatMap(Double.init) else { return value.text ?? "" }
        return DecimalNumber(.number((number * factor * 1e6).rounded() / 1e6))?.description ?? ""
    }

    /// `2026-11-26T14:30` as browsers have it, in UTC.
    private static func shown(_ text: String) -> String {
        Timestamp(text).map { String($0.description.prefix(16)) } ?? text
    }

    private static func stored(_ text: String) -> String {
        let text = text.trimmed
        guard text.utf8.count == 16 else { return text }
        return text + ":00Z"
    }
}
