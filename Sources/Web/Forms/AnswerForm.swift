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
        /// Whether the form shows another version of the question, or does not say which question it shows: its options may be others.
        var isOtherVersion = false
    }

    var given: [Given] = []
    /// What is in the fields of questions of instances that are gone.
    var lost: [Lost] = []
    struct Lost: Sendable {
        /// The place of the question in the form.
        var index: Int
        var text: String
    }
    /// The form is of this version, with other instances of repeated sections or in another order.
    let isRearranged: Bool
    var place: ResumePosition?
    /// The marks of the last answers from this form: if they are unchanged since, the answer is not from elsewhere.
    var earlier: [Int: String] = [:]
    private let questionnaire: Questionnaire
    /// The places that questions of the form have now.
    private var placesNow: [Int: Int] = [:]

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

        /// Whether the person has to see what is stored.
        var isUndecided: Bool { kind == .conflict || kind == .notShown }
    }

    /// - Parameter version: the mark of the version that is shown now, as `versionMark` makes it.
    init(_ form: FormFields, _ questionnaire: Questionnaire, version: String) {
        self.questionnaire = questionnaire
        let shown = form["of"] ?? version
        isRearranged = shown != version && Self.document(shown) == Self.document(version)
        let questions = questionnaire.questions
        let places: [String: Int] =
            shown == version
            ? [:] : Dictionary(questions.indices.map { (questions[$0].id, $0) }) { first, _ in first }
        for index in Set(form.all("shown").compactMap { Int($0) }).sorted() {
            let id = shown == version ? nil : form["id.\(index)"]
            let known = id.flatMap { places[$0] }
            if isRearranged, let id, known == nil {
                let text = questionnaire.unrepeatedDocument.question(id).flatMap {
                    Self.text(of: $0, at: index, in: form)
                }
                if let text { lost.append(Lost(index: index, text: text)) }
                continue
            }
            let place = known ?? index
            guard questions.indices.contains(place),
                let values = AnswerFields(questions[place]).values(at: index, in: form)
            else { continue }
            placesNow[index] = place
            given.append(
                Given(
                    index: place, values: values, was: form["was.\(index)"] ?? Self.mark(nil),
                    isOtherVersion: shown != version && !(isRearranged && known != nil)))
        }
        place = form["place"].flatMap { text in
            text.isEmpty ? nil : try? DocumentCoding.decode(ResumePosition.self, from: Array(text.utf8))
        }
    }

    private static func text(of question: Question, at index: Int, in form: FormFields) -> String? {
        let fields = AnswerFields(question)
        guard let values = fields.values(at: index, in: form) else { return nil }
        // As the form showed it: it was removed with its instance.
        if let answer = try? fields.answer(values, keeping: nil), mark(answer) == form["was.\(index)"] { return nil }
        return TypedAnswers.text(values, question, keeping: nil)
    }

    /// The value of a button, with the place that its question has now; `nil` where the form does not say which question that is.
    func buttonNow(_ go: String?) -> String? {
        guard isRearranged, let go else { return go }
        let start = go.prefix { !$0.isASCII || !$0.isNumber }
        guard start.isEmpty || TestButton.namesQuestion(start), let place = Int(place: go.dropFirst(start.count)) else {
            return go
        }
        return placesNow[place].map { "\(start)\($0)" }
    }

    /// The place that a question of the form has now.
    func placeNow(_ index: Int) -> Int? { isRearranged ? placesNow[index] : index }

    /// The part of a version's mark that names the document.
    private static func document(_ mark: String) -> Substring { mark.prefix { $0 != "." } }

    /// Which version of a questionnaire a form shows.
    static func versionMark(_ digest: Digest) -> String { String(digest.hex.prefix(12)) }

    /// The same, with the instances of repeated sections: a form's fields are named by the places of its questions.
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
        if given.isOtherVersion { return (.notShown, none) }
        let values = fields.restored(given.values, from: stored)
        // The fields have the values of the stored answer, which stays exactly unchanged.
        if values == fields.values(of: stored) { return (.unchanged, none) }
        let old = Self.mark(stored)
        // An own answer that is not the stored one was shown with another answer.
        if given.was != old, values.contains(where: AnswerFields.isOwn), question.kind.hasOptions {
            return (.conflict, none)
        }
        let answer = try fields.answer(values, keeping: stored)
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
