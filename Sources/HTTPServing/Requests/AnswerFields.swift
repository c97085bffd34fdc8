import Disk
import Model

/// The fields of one question in a form: their values for an answer, and the answer of their values.
///
/// An option's value is its place in the version that the form shows. An own answer, which fits no option, has a field of its own:
/// `=` and the text. Where an answer has several fields of its own, a value is the field's name, `=` and what is in it: `latitude=55.75`.
package struct AnswerFields {
    package let question: Question
    /// A text has a field of one line.
    private let isLine: Bool

    package init(_ question: Question, isLine: Bool = false) {
        self.question = question
        self.isLine = isLine
    }

    /// The fields' values for an answer, as a browser sends them.
    package func values(of answer: Answer?) -> [String] {
        switch question.input {
        case .option, .options: question.match(answer).places.map(String.init) + own(answer)
        case .text: [isLine ? line(answer) : Self.sent(answer?.texts.joined(separator: "\n") ?? "")]
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
        let text = Self.oneLine(answer?.texts.joined(separator: ", ") ?? "")
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

    /// By bytes: a vowel sign that a text begins with is one character with the “=”.
    package static func isOwn(_ value: String) -> Bool { value.utf8.first == UInt8(ascii: "=") }

    /// The text of such a value.
    package static func ownText(_ value: String) -> String { String(decoding: value.utf8.dropFirst(), as: UTF8.self) }

    /// A text as a field of one line has it (HTML, “value sanitization algorithm”: strip newlines).
    package static func oneLine(_ text: String) -> String { sent(text).filter { $0 != "\n" } }

    /// Values as a browser sent them.
    package static func received(_ values: [String]) -> [String] { values.map(sent) }

    /// Browsers send line ends as CR LF (HTML, “constructing the entry list”) and show U+0000 as U+FFFD.
    private static func sent(_ text: String) -> String {
        text.replacing("\r\n", with: "\n").replacing("\r", with: "\n").replacing("\0", with: "\u{FFFD}")
    }

    /// The values with the texts that the fields only show in another form, on one line or in the page's order, as they are stored.
    ///
    /// Where that gives the values of the stored answer, nothing was changed in the fields.
    package func restored(_ values: [String], from stored: Answer?) -> [String] {
        let own = values.filter(Self.isOwn)
        let others = values.filter { !Self.isOwn($0) }
        switch question.input {
        case .option, .options:
            let places = question.match(stored).places.map(String.init)
            return (Set(others) == Set(places) ? places : others) + Self.kept(own, of: self.own(stored))
        case .order:
            return others + Self.kept(own, of: question.ranking(of: stored).own.map(Self.ownValue))
        case .rows, .gaps:
            return parts.flatMap { part in
                part.named(part.fields.restored(part.own(values), from: question.answer(of: part.question, in: stored)))
            }
        case .text, .decimal, .moment, .location, .files, .nothing: return values
        }
    }

    /// Own texts in the stored order. A new one takes the place of one that is gone.
    private static func kept(_ given: [String], of stored: [String]) -> [String] {
        var rest = given
        var kept = [String?](repeating: nil, count: stored.count)
        func keep(where isSame: (String, String) -> Bool) {
            for place in stored.indices where kept[place] == nil {
                guard let found = rest.firstIndex(where: { isSame($0, stored[place]) }) else { continue }
                rest.remove(at: found)
                kept[place] = stored[place]
            }
        }
        keep { $0 == $1 }
        keep { oneLine($0) == oneLine($1) }
        for place in stored.indices where kept[place] == nil && !rest.isEmpty { kept[place] = rest.removeFirst() }
        return kept.compactMap(\.self) + rest
    }

    /// The answer that the values stand for.
    ///
    /// - Parameter stored: the answer that the fields were shown with: texts that match no option are kept from there
    ///   alone.
    /// - Throws: `AnswerFault` for an option that the question does not have.
    package func answer(_ values: [String], keeping stored: Answer?) throws(AnswerFault) -> Answer {
        let values = restored(values, from: stored)
        switch question.input {
        case .option, .options: return try choice(values, keeping: stored)
        case .order: return try ranking(values, keeping: stored)
        case .rows, .gaps: return try composed(values, keeping: stored)
        case .text: return Answer(questionId: question.id, value: .one(values.first ?? ""))
        case .files, .nothing: return Answer(questionId: question.id, value: .one(""))
        case .decimal, .moment, .location:
            let isLocation = question.input == .location
            let text =
                isLocation ? LocationFields(values, keeping: LocationFields(stored, question)).text : values.first ?? ""
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

        package var fields: AnswerFields { AnswerFields(question, isLine: true) }

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
        var known = question.ranking(of: stored).own
        var texts: [String] = []
        var places: Set<Int> = []
        for value in values {
            if let place = Int(value), question.options.indices.contains(place), places.insert(place).inserted {
                texts.append(question.options[place])
            } else if let own = Self.take(value, from: &known) {
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
        let own = values.filter(Self.isOwn)
        var order = values.compactMap { Int($0) }.filter(question.options.indices.contains)
        order += question.optionPlaces.filter { !order.contains($0) }
        if parts.count == 2, let option = Int(parts[0]), let place = order.firstIndex(of: option) {
            let target = parts[1] == "up" ? place - 1 : parts[1] == "down" ? place + 1 : place
            if order.indices.contains(target) { order.swapAt(place, target) }
        }
        return order.map(String.init) + own
    }

    private func choice(_ values: [String], keeping stored: Answer?) throws(AnswerFault) -> Answer {
        var known = question.match(stored).own
        var places: [Int] = []
        var own: [String] = []
        for value in values {
            if let place = Int(value), question.options.indices.contains(place) {
                places.append(place)
            } else if Self.isOwn(value), let kept = kept(value, from: &known) {
                own += kept
            } else if question.allowsOther, Self.isOwn(value) {
                let text = Self.ownText(value)
                if !text.allSatisfy(\.isWhitespace) { own.append(text) }
            } else {
                throw AnswerFault(questionId: question.id, reason: .notOption(value))
            }
        }
        if question.kind.isMultiple { return question.answer(choosing: places, keeping: own) }
        return own.isEmpty || !places.isEmpty
            ? question.answer(choosing: Array(places.prefix(1))) : question.answer(choosing: [], keeping: own)
    }

    /// The texts of a field of an own answer.
    private func kept(_ value: String, from known: inout [String]) -> [String]? {
        if question.input == .option { return value == Self.ownValue(known.joined(separator: "\n")) ? known : nil }
        return Self.take(value, from: &known).map { [$0] }
    }

    /// Takes the text that a value stands for out of those that are stored: each is there once.
    private static func take(_ value: String, from known: inout [String]) -> String? {
        known.firstIndex { value == ownValue($0) }.map { known.remove(at: $0) }
    }
}

extension AnswerFields {
    /// What the fields of a question in a form have, whose names begin with its place: `a.3`, `a.3.0`, and `o.3` for an own text, which the
    /// page was made with as `own.3`. A button may clear the answer, or move an option of an order.
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
        if let text = form["o.\(index)"] { values = completed(values, byOwn: text, former: form["own.\(index)"]) }
        // A cleared text arrives as an empty one. If none arrives, the form has no field for it.
        let mayBeEmpty = question.input.hasNamedFields || question.input == .order || question.kind.hasOptions
        return values.isEmpty && !mayBeEmpty ? nil : values
    }

    /// Without the script, the text of an own answer is a field beside the one that chooses it. Further own answers have no such field.
    ///
    /// - Parameter former: the value of the one that chooses it, which has the text as the page was made with it.
    private func completed(_ values: [String], byOwn text: String, former: String?) -> [String] {
        var others = values
        // On the page it is the last one.
        let box = former.map { Self.received([$0])[0] } ?? values.last(where: Self.isOwn) ?? "="
        let chosen = others.lastIndex(of: box)
        if let chosen { others.remove(at: chosen) }
        let typed = Self.ownValue(text)
        let isTyped = Self.oneLine(typed) != Self.oneLine(box)
        // A text that was typed chooses itself, unless the person chose something else.
        let isOwn = chosen != nil || isTyped && (values.isEmpty || question.kind.isMultiple)
        let own = isOwn ? [isTyped ? typed : box] : []
        return (others.filter { !Self.isOwn($0) } + own + others.filter(Self.isOwn)).filter { $0 != "=" }
    }
}
