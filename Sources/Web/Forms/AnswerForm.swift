import Model
import OutboxStore
import Quire

/// The answers in a form of the test page, compared with the stored ones.
///
/// Each question has a mark of the answer that it was shown with. If the stored answer differs by now, it was answered
/// elsewhere meanwhile (another tab, the terminal): that answer is not overwritten silently.
struct AnswerForm: Sendable {
    struct Given: Sendable {
        var index: Int
        /// The fields' values, in the form of `AnswerFields`.
        var values: [String]
        /// The mark of the answer that the person saw; `-` if the form does not state it.
        var was: String
    }

    var given: [Given] = []
    var place: ResumePosition?
    /// The marks of the last answers from this form: if they are unchanged since, the answer is not from elsewhere.
    var earlier: [Int: String] = [:]
    private let questionnaire: Questionnaire
    /// The form shows another version of the questionnaire: its options may be others.
    private let isOtherVersion: Bool

    /// The outcome for one question.
    struct Outcome: Sendable, Hashable {
        enum Kind: Hashable, Sendable {
            case saved, unchanged
            /// Not changed in this form, and changed elsewhere: theirs holds.
            case newerElsewhere
            /// Changed here and elsewhere: theirs holds until the person decides.
            case conflict
            /// The fields did not show the stored answer (the browser restored them, or they are of another version):
            /// it stays.
            case notShown
        }
        var index: Int
        var kind: Kind
        /// The mark of the stored answer.
        var mark: String
        var stored: Answer?
    }

    /// - Parameter version: the mark of the version that is shown now, as `versionMark` makes it.
    init(_ form: FormFields, _ questionnaire: Questionnaire, version: String) {
        self.questionnaire = questionnaire
        isOtherVersion = form["of"].map { $0 != version } ?? false
        let questions = questionnaire.questions
        for index in Set(form.all("shown").compactMap { Int($0) }).sorted() where questions.indices.contains(index) {
            guard let values = AnswerFields(questions[index]).values(at: index, in: form) else { continue }
            given.append(Given(index: index, values: values, was: form["was.\(index)"] ?? Self.mark(nil)))
        }
        place = form["place"].flatMap { text in
            text.isEmpty ? nil : try? DocumentCoding.decode(ResumePosition.self, from: Array(text.utf8))
        }
    }

    /// Which version of a questionnaire a form shows.
    static func versionMark(_ digest: Digest) -> String { String(digest.hex.prefix(12)) }

    /// The same, with the instances of repeated sections: a form names questions by their places.
    static func versionMark(_ digest: Digest, _ questionnaire: Questionnaire) -> String {
        let instances = questionnaire.sections.filter { $0.instance != nil }.map(\.id)
        if questionnaire.documentRepeats.isEmpty { return versionMark(digest) }
        let mark = Digest(sha256Of: Array(instances.joined(separator: "\n").utf8)).hex.prefix(8)
        return "\(versionMark(digest)).\(mark)"
    }

    /// A short mark of an answer: the same for the same answer.
    static func mark(_ answer: Answer?) -> String {
        guard let answer, !answer.isBlank else { return "-" }
        var text = answer.optionIndexes.map(String.init).joined(separator: ",") + "\n"
        text += answer.texts.joined(separator: "\n")
        return String(Digest(sha256Of: Array(text.utf8)).hex.prefix(12))
    }

    /// The result of a save, with marks of the test's file before and after it. `before` is `nil` if the file was changed
    /// elsewhere in between.
    struct Saved: Sendable {
        var outcomes: [Outcome]
        var before: String?
        var after: String
    }

    /// A mark of a test's file.
    static func mark(of stored: StoredTest) -> String { String(stored.digest.hex.prefix(16)) }

    /// Records the answers, except where a newer one was stored elsewhere.
    ///
    /// - Throws: `AnswerFault` for an option that the question does not have.
    func apply(to record: inout TestRecord) throws(AnswerFault) -> [Outcome] {
        var outcomes: [Outcome] = []
        for given in given {
            let question = questionnaire.questions[given.index]
            let stored = record.answer(to: question.id)
            let (kind, answer) = try decide(given, question, stored: stored)
            if kind == .saved { record.record(answer) }
            let now = kind == .saved ? answer : stored
            outcomes.append(Outcome(index: given.index, kind: kind, mark: Self.mark(now), stored: now))
        }
        if let place { record.resume = place }
        return outcomes
    }

    private func decide(
        _ given: Given, _ question: Question, stored: Answer?
    ) throws(AnswerFault) -> (Outcome.Kind, Answer) {
        let fields = AnswerFields(question)
        let none = Answer(questionId: question.id, value: .one(""))
        if isOtherVersion { return (.notShown, none) }
        // The fields have the values of the stored answer, which stays exactly unchanged.
        if given.values == fields.values(of: stored) { return (.unchanged, none) }
        let old = Self.mark(stored)
        // An own answer that is not the stored one was shown with another answer.
        if given.was != old, given.values.contains(where: { $0.hasPrefix("=") }), question.kind.hasOptions {
            return (.conflict, none)
        }
        let answer = try fields.answer(given.values, keeping: stored)
        let new = Self.mark(answer)
        if new == old { return (.unchanged, none) }
        if given.was == old { return (.saved, answer) }
        if earlier[given.index] == old {
            // Back in the browser's history, with the fields as the page was loaded: WebKit empties forms that it
            // keeps. Whether the person did that is unknown, so nothing is recorded.
            return (new == given.was ? .notShown : .saved, answer)
        }
        return (new == given.was ? .newerElsewhere : .conflict, answer)
    }

    /// Saves the answers durably. Nothing is written where nothing changed.
    ///
    /// - Throws: `OutboxError.frozen` when the test is finished, `AnswerFault` for an option that there is not, `FileError` when the
    ///   disk refuses.
    func save(_ id: TestID, in store: QuireStore, _ times: ActiveTimes) throws -> Saved {
        let read = try store.outbox.draft(id)
        var seen = read.record
        let preview = try apply(to: &seen)
        let before = Self.mark(of: read)
        if seen == read.record { return Saved(outcomes: preview, before: before, after: before) }
        var saved = Saved(outcomes: [], after: before)
        try times.spend(id) { seconds in
            let stored = try store.edit(id, activeSeconds: seconds) { record in
                saved.before = record == read.record ? before : nil
                saved.outcomes = try apply(to: &record)
            }
            saved.after = Self.mark(of: stored)
        }
        return saved
    }
}
