import Model
import Results
import Wording

/// Questions that were copied out of a spreadsheet: a row for each, with kind, text, options, key and points.
struct PastedQuestions: Hashable, Sendable {
    struct Item: Hashable, Sendable {
        var line: Int
        var kind: Question.Kind
        var text: String
        var options: [String]
        var key: [String]
        var points: String
    }

    struct Fault: Hashable, Sendable {
        enum Reason: Hashable, Sendable {
            case openQuote
            case unknownKind(String)
            case noText
            case keyIsNoOption(String)
            case notANumber(String)
        }

        var line: Int
        var reason: Reason
    }

    private(set) var items: [Item] = []
    private(set) var faults: [Fault] = []

    /// - Parameter text: separated by tabs, as spreadsheets copy, or by semicolons.
    init(_ text: String) {
        let separator: Character = text.contains("\t") ? "\t" : ";"
        let rows: [SeparatedValues.Row]
        do throws(SeparatedValues.OpenQuote) {
            rows = try SeparatedValues.rows(text.unixLines, separator: separator)
        } catch {
            faults = [Fault(line: error.line, reason: .openQuote)]
            return
        }
        for (place, row) in rows.enumerated() {
            let cells = (0..<5).map { $0 < row.fields.count ? row.fields[$0].trimmed : "" }
            let options = Self.parts(cells[2])
            guard let kind = Self.kind(cells[0], hasOptions: !options.isEmpty, keys: Self.parts(cells[3]).count) else {
                // The first row may have the names of the columns.
                if place > 0 || row.fields.count < 2 {
                    faults.append(Fault(line: row.line, reason: .unknownKind(cells[0])))
                }
                continue
            }
            add(
                Item(
                    line: row.line, kind: kind, text: cells[1], options: options, key: Self.parts(cells[3]),
                    points: cells[4]))
        }
    }

    private mutating func add(_ item: Item) {
        func fault(_ reason: Fault.Reason) { faults.append(Fault(line: item.line, reason: reason)) }
        if item.text.isEmpty { fault(.noText) }
        if !item.points.isEmpty, JSONValue(number: item.points) == nil { fault(.notANumber(item.points)) }
        if item.kind.shape == .option || item.kind.shape == .options,
            let wrong = item.key.first(where: { key in !item.options.contains { $0 == key } })
        {
            fault(.keyIsNoOption(wrong))
        }
        if item.kind.fieldGroup == .number, let wrong = item.key.first(where: { JSONValue(number: $0) == nil }) {
            fault(.notANumber(wrong))
        }
        items.append(item)
    }

    /// Parts of a cell are separated by vertical lines, or are its lines.
    private static func parts(_ cell: String) -> [String] {
        cell.split { $0 == "|" || $0.isNewline }.map { String($0).trimmed }.filter { !$0.isEmpty }
    }

    /// A kind by its name in any language, or as documents name it.
    private static func kind(_ name: String, hasOptions: Bool, keys: Int) -> Question.Kind? {
        if name.isEmpty { return Question.Kind(stated: nil, hasOptions: hasOptions, isMultiple: keys > 1) }
        if let kind = Question.Kind(rawValue: name) { return kind }
        let folded = TextFolding.fold(name)
        return Question.Kind.allCases.first { kind in
            TextFolding.fold(kind.rawValue) == folded
                || Language.allCases.contains { TextFolding.fold(kind.name($0)) == folded }
        }
    }

    /// The fields of a question as if its form had been filled in.
    static func fields(_ item: Item) -> QuestionFields {
        var fields = QuestionFields()
        (fields.kind, fields.shownKind) = (item.kind, item.kind)
        (fields.text, fields.points) = (item.text, item.points)
        fields.options = item.options.map { QuestionFields.Option(text: $0, isRight: item.key.contains($0)) }
        if item.kind.fieldGroup == .truth {
            fields.options = [true, false].map { truth in
                QuestionFields.Option(isRight: item.key.first.map { isTrue($0) == truth } ?? false)
            }
        }
        fields.accepted = item.key.map { QuestionFields.Accepted(value: $0) }
        if item.kind.fieldGroup == .scale { (fields.least, fields.most) = ("1", "5") }
        fields.isOrdered = item.key == item.options
        return fields
    }

    private static func isTrue(_ text: String) -> Bool {
        let words = ["true", "1"] + Language.allCases.map { TextFolding.fold($0.text("Yes")) }
        return words.contains(TextFolding.fold(text))
    }
}
