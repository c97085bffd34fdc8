import Disk
import Model

/// The settings of a questionnaire as their form has them: texts as they were typed.
package struct SettingsFields: Hashable, Sendable {
    var title = ""
    var description = ""
    var locale = ""
    var isMarkdown = false
    var minutes = ""
    var endsByItself = false
    var subject = ""
    var level = ""
    /// Separated by commas.
    var tags = ""
    /// Whether the form has these fields: one that was loaded before an update has not.
    var hasTopics = true
    /// In percent.
    var passScore = ""
    var shufflesQuestions = false
    var shufflesOptions = false
    /// As RFC 3339 in UTC; what was typed and is no time, as it was typed.
    var opensAt = ""
    var closesAt = ""
    /// Whether the form's script sent them as moments, to the second.
    var hasMoments = false
    package var attempts = ""
    package var late = "accept"
    /// By what is released: `score`, `verdicts`, `correct`, `explanation`.
    var release: [String: String] = [:]

    /// The release rules, with defaults where the document has none.
    static let releases: [(name: String, standard: String)] = [
        ("score", "rated"), ("verdicts", "rated"), ("correct", "never"), ("explanation", "never"),
    ]

    init() {}

    package init(_ document: DraftDocument) {
        let members = document.members
        title = document.title
        description = members["description"]?.text ?? ""
        locale = document.locale ?? ""
        isMarkdown = document.textFormat == .markdown
        minutes = members["timeLimitSeconds"].map { Self.scaled($0, by: 1 / 60) } ?? ""
        endsByItself = members["finishAtTimeLimit"]?.truth ?? false
        subject = members["subject"]?.text ?? ""
        level = members["level"].map { $0.text ?? $0.numberText ?? "" } ?? ""
        tags = (members["tags"]?.elements ?? []).compactMap(\.text).joined(separator: ", ")
        passScore = members["passScore"].map { Self.scaled($0, by: 100) } ?? ""
        let shuffle = members["shuffle"]?.members ?? [:]
        shufflesQuestions = shuffle["questions"]?.truth ?? false
        shufflesOptions = shuffle["options"]?.truth ?? false
        let availability = members["availability"]?.members ?? [:]
        opensAt = availability["opensAt"]?.text.map(Self.moment) ?? ""
        closesAt = availability["closesAt"]?.text.map(Self.moment) ?? ""
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
        if hasTopics { applyTopics(to: &document, former) }
        if passScore != former.passScore { set("passScore", passScore, by: 0.01, isWhole: false, in: &document) }
        document.members.change("shuffle") {
            $0.set("questions", truth: shufflesQuestions)
            $0.set("options", truth: shufflesOptions)
        }
        document.members.change("availability") { availability in
            // A form without the script has neither seconds nor a zone.
            func isTouched(_ text: String, _ former: String) -> Bool {
                hasMoments ? text != former : Self.shown(text) != Self.shown(former)
            }
            if isTouched(opensAt, former.opensAt) { availability.set("opensAt", text: Self.stored(opensAt)) }
            if isTouched(closesAt, former.closesAt) { availability.set("closesAt", text: Self.stored(closesAt)) }
            if attempts != former.attempts { availability.set("attempts", number: attempts) }
            if late != former.late { availability.set("late", text: late == "accept" ? "" : late) }
        }
        document.members.change("release") { members in
            for (name, standard) in Self.releases where release[name] != former.release[name] {
                members.set(name, text: release[name] == standard ? "" : release[name])
            }
        }
    }

    private func applyTopics(to document: inout DraftDocument, _ former: SettingsFields) {
        if endsByItself != former.endsByItself { document.members.set("finishAtTimeLimit", truth: endsByItself) }
        if subject != former.subject { document.members.set("subject", text: subject) }
        if level != former.level { document.members.set("level", text: level) }
        guard tags != former.tags else { return }
        let texts = tags.split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
        document.members["tags"] = texts.isEmpty ? nil : .array(texts.map(JSONValue.string))
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

    /// A time of a document in UTC.
    private static func moment(_ text: String) -> String { Timestamp(text)?.description ?? text }

    /// A time that was typed, by the host's clock; with the moment that the reader's browser takes it for, it is that.
    static func moment(typed text: String, as moment: String) -> String {
        if !text.isEmpty, let time = Timestamp(moment) { return time.description }
        return WrittenDate.dateTime(text, localOffset: SystemClock.localOffset).text.map(Self.moment) ?? text
    }

    /// `2026-11-26T14:30` as browsers have it, by the host's clock.
    static func shown(_ text: String) -> String {
        guard let time = Timestamp(text) else { return text }
        return time.minute(offsetSeconds: LocalTime.offsetSeconds(at: time) ?? 0).replacing(" ", with: "T")
    }

    private static func stored(_ text: String) -> String {
        Timestamp(text).map { $0.description.prefix(16) + ":00Z" } ?? text
    }
}
