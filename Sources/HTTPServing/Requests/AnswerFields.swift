import Disk
import Model

/// The fields of one question in a form: their values for an answer, and the answer of their values.
///
/// An option's value is its place in the version that the form shows. An own answer, which fits no option, has a field of its own:
/// `=` and the text. Where an answer has several fields of its own, a value is the field's name, `=` and what is in it: `latitude=55.75`.
package struct AnswerFields {
    package let question: Question

    package init(_ question: Question) { self.question = question }

    /// The fields' values for an answer, as a browser sends them.
    package func values(of answer: Answer?) -> [String] {
        switch question.input {
        case .option, .options: question.match(answer).places.map(String.init) + own(answer)
        case .text: [Self.sent(answer?.texts.joined(separator: "\n") ?? "")]
        case .order:
            question.ranking(of: answer).places.map(String.init) + question.ranking(of: answer).own.map(Self.ownValue)
        case .rows, .gaps:
            parts.flatMap { $0.named($0.fields.values(of: question.answer(of: $0.question, in: answer))) }
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
    package static let localType = "datetime-local"

    /// The type of a browser's own field that can show a value of a date or a time; `nil` where none can.
    package static func fieldType(_ form: WrittenDate.Order.Form, _ value: String) -> String? {
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
    package func own(_ answer: Answer?) -> [String] {
        let texts = question.match(answer).own
        if texts.isEmpty { return [] }
        return question.input == .option
            ? [Self.ownValue(texts.joined(separator: "\n"))] : texts.map(Self.ownValue)
    }

    package static func ownValue(_ text: String) -> String { "=" + sent(text) }

    /// Values as a browser sent them.
    package static func received(_ values: [String]) -> [String] { values.map(sent) }

    /// Browsers send line ends as CR LF (HTML, “constructing the entry list”) and show U+0000 as U+FFFD.
    private static func sent(_ text: String) -> String {
        text.replacing("\r\n", with: "\n").replacing("\r", with: "\n").replacing("\0", with: "\u{FFFD}")
    }

    /// The answer that the values stand for.
    ///
    /// - Parameter stored: the answer that the fields were shown with: texts that match no option are kept from there
    ///   alone.
    /// - Throws: `AnswerFault` for an option that the question does not have.
    package func answer(_ values: [String], keeping stored: Answer?) throws(AnswerFault) -> Answer {
        switch question.input {
        case .option, .options: return try choice(values, keeping: stored)
        case .order: return try ranking(values, keeping: stored)
        case .rows, .gaps: return try composed(values, keeping: stored)
        case .text: return Answer(questionId: question.id, value: .one(values.first ?? ""))
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

    // MARK: Orders, rows and gaps

    /// A row or a gap of the question, whose fields have names of their own: its place among the parts.
    package struct Part {
        package let place: Int
        package let question: Question

        package var fields: AnswerFields { AnswerFields(question) }

        /// The values of its fields among those of all parts. An empty field is none.
        package func named(_ values: [String]) -> [String] { values.filter { !$0.isEmpty }.map { "\(place)=\($0)" } }

        /// Its own values out of those of all parts. By bytes: a vowel sign that a value begins with is one character with the “=”.
        package func own(_ values: [String]) -> [String] {
            let name = "\(place)=".utf8
            return values.filter { $0.utf8.starts(with: name) }
                .map { String(decoding: $0.utf8.dropFirst(name.count), as: UTF8.self) }
        }
    }

    package var parts: [Part] { question.parts.enumerated().map { Part(place: $0, question: $1) } }

    /// An answer of which only the parts change whose fields differ from what is stored.
    private func composed(_ values: [String], keeping stored: Answer?) throws(AnswerFault) -> Answer {
        let none = Answer(questionId: question.id, value: .object([:]))
        var answer = question.ownText(of: stored) == nil ? stored ?? none : none
        for part in parts {
            let former = question.answer(of: part.question, in: stored)
            let given = part.own(values)
            if part.named(given) == part.named(part.fields.values(of: former)) { continue }
            answer = question.answer(answer, setting: try part.fields.answer(given, keeping: former))
        }
        return answer
    }

    private func ranking(_ values: [String], keeping stored: Answer?) throws(AnswerFault) -> Answer {
        let known = question.ranking(of: stored).own
        var texts: [String] = []
        var places: Set<Int> = []
        for value in values {
            if let place = Int(value), question.options.indices.contains(place), places.insert(place).inserted {
                texts.append(question.options[place])
            } else if let own = known.first(where: { value == Self.ownValue($0) }) {
                texts.append(own)
            } else {
                throw AnswerFault(questionId: question.id, reason: .notOptionLeft(value))
            }
        }
        return Answer(questionId: question.id, value: .several(texts))
    }

    /// The values of an order in which one option is moved.
    ///
    /// - Parameter move: the option's place among the options, and `up`, `down` or `keep`: `2.up`.
    package func moved(_ move: Substring, in values: [String]) -> [String] {
        let parts = move.split(separator: ".")
        let own = values.filter { $0.hasPrefix("=") }
        var order = values.compactMap { Int($0) }.filter(question.options.indices.contains)
        order += question.optionPlaces.filter { !order.contains($0) }
        if parts.count == 2, let option = Int(parts[0]), let place = order.firstIndex(of: option) {
            let target = parts[1] == "up" ? place - 1 : parts[1] == "down" ? place + 1 : place
            if order.indices.contains(target) { order.swapAt(place, target) }
        }
        return order.map(String.init) + own
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
                throw AnswerFault(questionId: question.id, reason: .notOption(value))
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

extension AnswerFields {
    /// What the fields of a question in a form have, whose names begin with its place: `a.3`, `a.3.0`, and `o.3` for an own text. A button
    /// may clear the answer, or move an option of an order.
    ///
    /// - Returns: `nil` where the form has no field for the question.
    package func values(at index: Int, in form: FormFields) -> [String]? {
        if form["clear"] == "\(index)" { return [] }
        // An empty field of several is none.
        let named =
            question.input.hasNamedFields
            ? form.named("a.\(index).").filter { $0.firstIndex(of: "=") != $0.indices.last } : []
        var values = Self.received(form.all("a.\(index)") + named)
        if let move = form["move"], move.hasPrefix("\(index).") {
            values = moved(move.dropFirst("\(index).".utf8.count), in: values)
        }
        if let text = form["o.\(index)"] { values = completed(values, byOwn: text) }
        // A cleared text arrives as an empty one. If none arrives, the form has no field for it.
        let mayBeEmpty = question.input.hasNamedFields || question.input == .order || question.kind.hasOptions
        return values.isEmpty && !mayBeEmpty ? nil : values
    }

    /// Without the script, the text of an own answer is a field beside the one that chooses it.
    private func completed(_ values: [String], byOwn text: String) -> [String] {
        let own = Self.received(["=" + text])
        var completed = values.flatMap { $0.hasPrefix("=") ? own : [$0] }.filter { $0 != "=" }
        let isChosen = values.contains { $0.hasPrefix("=") }
        if !isChosen, values.isEmpty || question.kind.isMultiple, own != ["="] { completed += own }
        return completed
    }
}
