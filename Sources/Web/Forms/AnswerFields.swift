import Disk
import Model

/// The fields of one question in a form: their values for an answer, and the answer of their values.
///
/// An option's value is its place in the version that the form shows. An own answer, which fits no option, has a field of its own:
/// `=` and the text. Where an answer has several fields of its own, a value is the field's name, `=` and what is in it: `latitude=55.75`.
struct AnswerFields {
    let question: Question

    init(_ question: Question) { self.question = question }

    /// The fields' values for an answer, as a browser sends them.
    func values(of answer: Answer?) -> [String] {
        switch question.input {
        case .option, .options: question.match(answer).places.map(String.init) + own(answer)
        case .text, .order, .rows, .gaps: [Self.sent(answer?.texts.joined(separator: "\n") ?? "")]
        case .location: LocationFields(answer, question).values
        case .files, .nothing: []
        // A field of one line.
        case .decimal, .moment: [line(answer)]
        }
    }

    private func line(_ answer: Answer?) -> String {
        let text = Self.sent(answer?.texts.joined(separator: ", ") ?? "").filter { !$0.isNewline }
        guard question.input == .moment(.dateTime) else { return text }
        return WrittenDate.localText(text, localOffset: SystemClock.localOffset) ?? text
    }

    /// The type of a browser's field for dates and times that has the local time.
    static let localType = "datetime-local"

    /// The type of a browser's own field that can show a value of a date or a time; `nil` where none can.
    static func fieldType(_ form: WrittenDate.Order.Form, _ value: String) -> String? {
        func isCanonical(_ text: String) -> Bool { text.isEmpty || WrittenDate(text, form).text == text }
        switch form {
        case .date: return isCanonical(value) ? "date" : nil
        case .time: return isCanonical(value) ? "time" : nil
        case .dateTime:
            let stored = WrittenDate.dateTime(value, localOffset: SystemClock.localOffset).text
            let shown = stored.flatMap { WrittenDate.localText($0, localOffset: SystemClock.localOffset) }
            return value.isEmpty || shown == value ? localType : nil
        }
    }

    /// The fields for texts that match no option. An answer to a question with a single answer is one field, however
    /// many texts it has.
    func own(_ answer: Answer?) -> [String] {
        let texts = question.match(answer).own
        if texts.isEmpty { return [] }
        return question.input == .option
            ? [Self.ownValue(texts.joined(separator: "\n"))] : texts.map(Self.ownValue)
    }

    static func ownValue(_ text: String) -> String { "=" + sent(text) }

    /// Values as a browser sent them.
    static func received(_ values: [String]) -> [String] { values.map(sent) }

    /// Browsers send line ends as CR LF (HTML, “constructing the entry list”) and show U+0000 as U+FFFD.
    private static func sent(_ text: String) -> String {
        text.replacing("\r\n", with: "\n").replacing("\r", with: "\n").replacing("\0", with: "\u{FFFD}")
    }

    /// The answer that the values stand for.
    ///
    /// - Parameter stored: the answer that the fields were shown with: texts that match no option are kept from there
    ///   alone.
    /// - Throws: `AnswerFault` for an option that the question does not have.
    func answer(_ values: [String], keeping stored: Answer?) throws(AnswerFault) -> Answer {
        switch question.input {
        case .option, .options: return try choice(values, keeping: stored)
        case .text, .order, .rows, .gaps: return Answer(questionId: question.id, value: .one(values.first ?? ""))
        case .files, .nothing: return Answer(questionId: question.id, value: .one(""))
        case .decimal, .moment, .location:
            let isLocation = question.input == .location
            let text = isLocation ? LocationFields(values).text : values.first ?? ""
            do throws(AnswerFault) {
                return try question.answer(.one(text), localOffset: SystemClock.localOffset)
            } catch {
                // Incomplete, not a number, or ambiguous: kept unchanged, so that no input is lost.
                return Answer(questionId: question.id, value: .one(text))
            }
        }
    }

    private func choice(_ values: [String], keeping stored: Answer?) throws(AnswerFault) -> Answer {
        let known = question.match(stored).own
        var places: [Int] = []
        var own: [String] = []
        for value in values {
            if let place = Int(value), question.options.indices.contains(place) {
                places.append(place)
            } else if question.allowsOther, value.hasPrefix("=") {
                let text = String(value.dropFirst())
                if !text.allSatisfy(\.isWhitespace) { own.append(text) }
            } else if value.hasPrefix("="), let kept = kept(value, of: known) {
                own += kept
            } else {
                throw AnswerFault(questionId: question.id, reason: "“\(value.prefix(60))” is not one of its options")
            }
        }
        if question.kind.isMultiple { return question.answer(choosing: places, keeping: own) }
        return own.isEmpty || !places.isEmpty
            ? question.answer(choosing: Array(places.prefix(1))) : question.answer(choosing: [], keeping: own)
    }

    /// The texts of a field of an own answer.
    private func kept(_ value: String, of known: [String]) -> [String]? {
        if question.input == .option { return value == Self.ownValue(known.joined(separator: "\n")) ? known : nil }
        return known.first { value == Self.ownValue($0) }.map { [$0] }
    }
}
