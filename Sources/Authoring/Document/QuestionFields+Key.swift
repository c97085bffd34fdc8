import Model

/// The key of a question as its form has it.
extension QuestionFields {
    /// Reads a key, and finds out whether the form can show all of it: what it would write is what is there.
    mutating func readKey(_ key: [String: JSONValue], _ kind: Question.Kind) {
        let accept = (key["accept"]?.elements ?? []).map { $0.members ?? [:] }
        let accepted = Self.plain(accept, kind)
        switch kind.fieldGroup {
        case .options where kind.shape == .order:
            isOrdered = accepted.first?["value"]?.texts == options.map(\.text)
        case .options:
            for entry in accepted {
                guard let text = entry["value"]?.text, let place = options.firstIndex(where: { $0.text == text }) else {
                    continue
                }
                options[place].accept(entry)
            }
        case .truth:
            for entry in accepted {
                guard let truth = entry["value"]?.truth else { continue }
                options[truth ? 0 : 1].accept(entry)
            }
        case .table: readRows(accepted.first?["value"]?.members ?? [:])
        case .gaps: readGaps(accepted.first?["value"]?.members ?? [:])
        default:
            self.accepted = accepted.map { entry in
                Accepted(
                    value: entry["value"].map { $0.text ?? $0.numberText ?? "" } ?? "", points: entry.number("points"),
                    feedback: entry["feedback"]?.text ?? "")
            }
        }
        tolerance = key.number("tolerance")
        isExact = key["comparison"]?.text == "exact"
        isPartial = key["partial"]?.truth ?? kind.hasParts
        var written = key
        writeKey(to: &written, kind, maximum: 1)
        var expected = key
        expected["accept"] = accept.isEmpty ? nil : .array(sorted(accepted, kind).map(JSONValue.object))
        if key["partial"]?.truth == kind.hasParts { expected["partial"] = nil }
        if key["comparison"]?.text == "folded" { expected["comparison"] = nil }
        showsKey = Self.isSame(.object(written), .object(expected))
    }

    /// Whether two values are the same for every reader: 1 is 1.0.
    private static func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.object(let first), .object(let second)):
            first.count == second.count
                && first.allSatisfy { name, value in second[name].map { isSame(value, $0) } ?? false }
        case (.array(let first), .array(let second)):
            first.count == second.count && zip(first, second).allSatisfy { isSame($0, $1) }
        default: left == right || left.numberText != nil && left.numberText == right.numberText
        }
    }

    /// One complete answer to a question of several choices is the same as its options one by one.
    private static func plain(_ accept: [[String: JSONValue]], _ kind: Question.Kind) -> [[String: JSONValue]] {
        guard kind.shape == .options, accept.count == 1, accept[0].count == 1, let values = accept[0]["value"]?.elements
        else {
            return accept
        }
        return values.map { ["value": $0] }
    }

    /// In the order of the options: they are different, so the order says nothing.
    private func sorted(_ accepted: [[String: JSONValue]], _ kind: Question.Kind) -> [[String: JSONValue]] {
        guard [.options, .truth].contains(kind.fieldGroup), kind.shape != .order else { return accepted }
        return accepted.enumerated().map { place, entry -> (Int, Int, [String: JSONValue]) in
            let value = entry["value"]
            let option =
                value?.truth.map { $0 ? 0 : 1 } ?? options.firstIndex { $0.text == value?.text } ?? options.count
            return (option, place, entry)
        }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    }

    private mutating func readRows(_ right: [String: JSONValue]) {
        for place in rows.indices {
            let value = right[rows[place].text]
            let texts = value?.elements?.compactMap(\.text) ?? value?.text.map { [$0] } ?? []
            rows[place].right = texts.compactMap { text in options.firstIndex { $0.text == text } }
        }
    }

    private mutating func readGaps(_ right: [String: JSONValue]) {
        for place in gaps.indices {
            let value = right[gaps[place].name]
            gaps[place].accepted = (value?.elements ?? [value].compactMap { $0 })
                .map { $0.text ?? $0.numberText ?? $0.truth.map { "\($0)" } ?? "" }.joined(separator: "\n")
        }
    }

    // MARK: Writing

    /// - Parameter maximum: the points of the question.
    func writeKey(to key: inout [String: JSONValue], _ kind: Question.Kind, maximum: Double) {
        let accept = acceptances(kind, maximum)
        key["accept"] = accept.isEmpty ? nil : .array(accept.map(JSONValue.object))
        guard !accept.isEmpty else {
            for name in ["tolerance", "partial", "comparison"] { key[name] = nil }
            return
        }
        if kind.fieldGroup == .number || kind.fieldGroup == .scale { key.set("tolerance", number: tolerance) }
        if kind.valueForm == .text { key["comparison"] = isExact ? .string("exact") : nil }
        if kind.hasParts || kind.shape == .options || kind.shape == .order {
            key["partial"] = isPartial == kind.hasParts ? nil : .bool(isPartial)
        }
    }

    private func acceptances(_ kind: Question.Kind, _ maximum: Double) -> [[String: JSONValue]] {
        switch kind.fieldGroup {
        case .options where kind.shape == .order:
            let texts = options.filter { !$0.isBlank }.map { JSONValue.string($0.text) }
            return isOrdered && texts.count > 1 ? [["value": .array(texts)]] : []
        case .options:
            return accepted(
                options.filter { !$0.isBlank }.map { ($0, .string($0.text)) }, isSum: kind.shape == .options, maximum)
        case .truth:
            return accepted(zip(options, [true, false]).map { ($0, .bool($1)) }, isSum: false, maximum)
        case .table: return acceptedRows(kind)
        case .gaps: return acceptedGaps()
        case .text, .number, .moment, .scale: return typed(kind)
        case .file, .none: return []
        }
    }

    /// - Parameter isSum: whether the points of chosen options are added.
    private func accepted(
        _ options: [(option: Option, value: JSONValue)], isSum: Bool, _ maximum: Double
    ) -> [[String: JSONValue]] {
        let counted = options.filter {
            $0.option.isRight || !$0.option.points.trimmed.isEmpty || !$0.option.feedback.trimmed.isEmpty
        }
        let right = counted.count { $0.option.isRight }
        let hasPoints = isSum && counted.contains { !$0.option.points.trimmed.isEmpty || !$0.option.isRight }
        return counted.map { option, value in
            var entry = ["value": value]
            entry.set("points", number: option.points)
            if entry["points"] == nil {
                if !option.isRight {
                    entry["points"] = .integer(0)
                } else if hasPoints {
                    // Where one option has points, the others share those of the question.
                    entry.set(
                        "points", number: DecimalNumber(.number(maximum / Double(max(1, right))))?.description ?? "")
                }
            }
            entry.set("feedback", text: option.feedback)
            return entry
        }
    }

    private func typed(_ kind: Question.Kind) -> [[String: JSONValue]] {
        accepted.filter { !$0.isBlank }.map { accepted in
            let isNumber = kind.valueForm == .number
            var entry: [String: JSONValue] = [:]
            entry["value"] =
                isNumber
                ? JSONValue(number: accepted.value.trimmed) ?? .string(accepted.value) : .string(accepted.value)
            entry.set("points", number: accepted.points)
            entry.set("feedback", text: accepted.feedback)
            return entry
        }
    }

    private func acceptedRows(_ kind: Question.Kind) -> [[String: JSONValue]] {
        var right: [String: JSONValue] = [:]
        for row in rows where !row.isBlank {
            let texts = row.right.filter { options.indices.contains($0) && !options[$0].isBlank }
                .map { JSONValue.string(options[$0].text) }
            guard let first = texts.first else { continue }
            right[row.text] = kind.isTable && isMultiple ? .array(texts) : first
        }
        return right.isEmpty ? [] : [["value": .object(right)]]
    }

    private func acceptedGaps() -> [[String: JSONValue]] {
        var right: [String: JSONValue] = [:]
        let names = Set(GapText.names(in: text))
        for gap in gaps where names.contains(gap.name) {
            let values = Self.lines(gap.accepted).map { line -> JSONValue in
                switch gap.kind.valueForm {
                case .number: JSONValue(number: line) ?? .string(line)
                case .truth: line == "true" ? .bool(true) : line == "false" ? .bool(false) : .string(line)
                default: .string(line)
                }
            }
            guard let first = values.first else { continue }
            right[gap.name] = values.count == 1 ? first : .array(values)
        }
        return right.isEmpty ? [] : [["value": .object(right)]]
    }
}

extension QuestionFields.Option {
    /// Takes what a key says about the option.
    fileprivate mutating func accept(_ entry: [String: JSONValue]) {
        let worth = entry["points"].flatMap { $0.numberText.flatMap(Double.init) }
        feedback = entry["feedback"]?.text ?? ""
        isRight = worth.map { $0 > 0 } ?? true
        points = worth == 0 && !feedback.isEmpty ? "" : entry.number("points")
    }
}
