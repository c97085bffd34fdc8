import Model
import OutboxStore
import Quire

/// The answers that a form of the test page carries, and how they meet what is stored.
///
/// Each question comes with a mark of the answer that it was shown with. Where the stored answer is another one by now,
/// somebody answered elsewhere meanwhile (another tab, the terminal): nothing of theirs is overwritten without a word.
struct AnswerForm: Sendable {
    struct Given: Sendable {
        var index: Int
        var answer: Answer
        /// The mark of the answer that the person saw; `nil` from who does not say.
        var was: String?
    }

    var given: [Given] = []
    var place: ResumePosition?
    /// The marks of the answers that this very form gave last: what nobody changed since then is not somebody else's.
    var earlier: [Int: String] = [:]

    /// What became of one question.
    struct Outcome: Sendable, Hashable {
        enum Kind: Hashable, Sendable {
            case saved, unchanged
            /// Not changed in this form, and changed elsewhere: theirs holds.
            case newerElsewhere
            /// Changed here and elsewhere: theirs holds until the person decides.
            case conflict
        }
        var index: Int
        var kind: Kind
        /// The mark of what is stored now.
        var mark: String
        var stored: Answer?
    }

    /// - Throws: `AnswerFault` for an option that the question does not have.
    init(_ form: FormFields, _ questionnaire: Questionnaire) throws(AnswerFault) {
        let questions = questionnaire.questions
        let cleared = form["clear"].flatMap { Int($0) }
        for index in Set(form.all("shown").compactMap { Int($0) }).sorted() where questions.indices.contains(index) {
            let values = index == cleared ? [] : form.all("a.\(index)")
            given.append(
                Given(
                    index: index, answer: try Self.answer(values, to: questions[index]),
                    was: form["was.\(index)"]))
        }
        place = form["place"].flatMap { text in
            text.isEmpty ? nil : try? DocumentCoding.decode(ResumePosition.self, from: Array(text.utf8))
        }
    }

    private static func answer(_ values: [String], to question: Question) throws(AnswerFault) -> Answer {
        switch question.kind {
        case .choice, .choices:
            var places: [Int] = []
            for value in values {
                guard let place = Int(value), question.options.indices.contains(place) else {
                    throw AnswerFault(
                        questionId: question.id, reason: "“\(value.prefix(60))” is not one of its options")
                }
                places.append(place)
            }
            return question.answer(choosing: question.kind == .choice ? Array(places.prefix(1)) : places)
        case .text:
            // Browsers send line ends as CR LF (HTML, “constructing the entry list”).
            let text = (values.first ?? "").replacing("\r\n", with: "\n")
            return Answer(questionId: question.id, value: .one(text))
        case .number:
            let text = values.first ?? ""
            do throws(AnswerFault) {
                return try question.answer(.one(text))
            } catch {
                // Not typed to its end, or no number: kept as it is, so that nothing typed is lost.
                return Answer(questionId: question.id, value: .one(text))
            }
        }
    }

    /// A short mark of an answer: the same for the same answer.
    static func mark(_ answer: Answer?) -> String {
        guard let answer, !answer.isBlank else { return "-" }
        var text = answer.optionIndexes.map(String.init).joined(separator: ",") + "\n"
        text += answer.texts.joined(separator: "\n")
        return String(Digest(sha256Of: Array(text.utf8)).hex.prefix(12))
    }

    /// Puts the answers into a record, each where nobody was quicker.
    func apply(to record: inout TestRecord) -> [Outcome] {
        let outcomes = given.map { given in
            let stored = record.answer(to: given.answer.questionId)
            let (old, new) = (Self.mark(stored), Self.mark(given.answer))
            func outcome(_ kind: Outcome.Kind) -> Outcome {
                Outcome(index: given.index, kind: kind, mark: old, stored: stored)
            }
            if old == new { return outcome(.unchanged) }
            if let was = given.was, was != old, earlier[given.index] != old {
                return outcome(was == new ? .newerElsewhere : .conflict)
            }
            record.record(given.answer)
            return Outcome(index: given.index, kind: .saved, mark: new, stored: given.answer)
        }
        if let place { record.resume = place }
        return outcomes
    }

    /// Saves the answers durably. Nothing is written where nothing changed.
    ///
    /// - Throws: `OutboxError.frozen` when the test is finished, `FileError` when the disk refuses.
    func save(_ id: TestID, in store: QuireStore, _ times: ActiveTimes) throws -> [Outcome] {
        guard let item = try store.outbox.find(id) else { throw OutboxError.notFound(id.description) }
        guard item.status.isDraft else { throw OutboxError.frozen(id, item.status) }
        var seen = try store.outbox.read(item).record
        let former = seen
        let preview = apply(to: &seen)
        if seen == former { return preview }
        var outcomes: [Outcome] = []
        try times.spend(id) { seconds in
            _ = try store.edit(id, activeSeconds: seconds) { outcomes = apply(to: &$0) }
        }
        return outcomes
    }
}
