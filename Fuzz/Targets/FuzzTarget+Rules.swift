import Model
import RichText

/// Formatted texts, and the rules of questionnaires.
extension FuzzTarget {
    static func markdown(_ bytes: [UInt8]) throws(BrokenPromise) {
        let text = String(decoding: bytes, as: UTF8.self)
        let formatted = FormattedText(markdown: text)
        let html = formatted.html { name, writer in
            writer.empty("input", [.init("name", name)])
            return true
        }
        try promise(
            html.utf8.count <= 65_536 + 400 * text.utf8.count, "\(text.utf8.count) bytes became \(html.utf8.count)")
        try promise(!html.utf8.contains(0), "a NUL is in the HTML")
        try promise(!html.lowercased().contains("<script"), "a script is in the HTML")
        let links = html.split(separator: "href=\"", omittingEmptySubsequences: false).dropFirst()
        try promise(
            links.allSatisfy { link in
                let link = link.lowercased()
                // Written attributes alone have a quotation mark: those of texts are references.
                return link.hasPrefix("http://") || link.hasPrefix("https://")
            }, "a link does not lead to the web")
        for width in [4, 20, 80] {
            for line in formatted.terminalLines(width: width) {
                let isSafe = !line.text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
                try promise(isSafe, "a control character is in a line of the terminal")
            }
        }
        _ = formatted.plainText
    }

    /// A questionnaire; or lines of which each is read as an expression, a date and a number.
    static func rules(_ bytes: [UInt8]) throws(BrokenPromise) {
        if let rules = try? QuestionnaireRules(json: bytes) {
            _ = QuestionnaireCheck.findings(in: rules)
            let hidden = rules.visibility.hidden { _ in .string("a") }
            try promise(hidden.isSubset(of: Set(rules.questions.map(\.id))), "a question that is not there is hidden")
            if let test = TestID("6f1c1f6e-93b6-4c4b-9a0e-1c2d3e4f5a6b") {
                let order = rules.order(of: test)
                try promise(Set(order).count == order.count, "a question is shown twice")
                for item in rules.questions {
                    let places = rules.optionOrder(of: item, in: test)
                    try promise(places.sorted() == Array(item.options.indices), "the options are \(places)")
                }
            }
            for item in rules.questions {
                guard let rule = rules.points(of: item), rule.maximum >= 0 else { continue }
                for answer in [
                    JSONValue.string("a"), .integer(1), .array([.string("a")]), .object(["1": .string("a")]),
                ] {
                    guard let points = rule.result(of: answer)?.points else { continue }
                    try promise(abs(points) <= rule.maximum, "\(points) of \(rule.maximum) points")
                }
            }
        }
        for line in String(decoding: bytes.prefix(2000), as: UTF8.self).split(separator: "\n").prefix(20) {
            let text = String(line)
            if let pattern = try? TextPattern(text) { _ = pattern.matches(text) }
            for date in [WrittenDate.date(text), .time(text), .dateTime(text, offsetMinutes: 0)] {
                guard let canonical = date.text else { continue }
                try promise(WrittenDate.order(canonical) != nil, "“\(text)” is read as “\(canonical)”")
            }
            if let number = DecimalNumber(text) {
                try promise(DecimalNumber(number.description) == number, "“\(text)” is \(number)")
                try promise((number - number) == .zero, "“\(text)” less itself is not 0")
            }
        }
    }
}
