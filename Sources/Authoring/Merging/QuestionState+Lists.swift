import Model

/// Lists of a question's form in parts: line by line where both authors left the lines in their places, else as one.
extension QuestionState {
    /// Whether the first lines are those of the base, renamed or not, in their places; more may follow.
    private static func isAligned(_ texts: [String], _ places: [Int?]?, to base: [String]) -> Bool {
        guard texts.count >= base.count else { return false }
        if let places {
            return zip(base.indices, places).allSatisfy { $0 == $1 }
                && places.dropFirst(base.count).allSatisfy { $0 == nil }
        }
        return base.indices.allSatisfy {
            texts[$0] == base[$0] || !base.contains(texts[$0]) && !texts.contains(base[$0])
        }
    }

    static func optionParts(
        _ base: QuestionFields?, _ theirs: QuestionFields, _ mine: QuestionFields
    ) -> [FieldPart<QuestionState>] {
        guard let base else { return [optionsPart] }
        let texts = base.options.map(\.text)
        let isTruth = base.kind?.fieldGroup == .truth
        guard
            isTruth
                || isAligned(theirs.options.map(\.text), nil, to: texts)
                    && isAligned(mine.options.map(\.text), mine.options.map(\.was), to: texts)
        else { return [optionsPart] }
        let lines = texts.indices.flatMap { place -> [FieldPart<QuestionState>] in
            func option(_ state: QuestionState) -> QuestionFields.Option? {
                state.fields.options.indices.contains(place) ? state.fields.options[place] : nil
            }
            return [
                FieldPart("option.\(place)") {
                    .text(option($0)?.text ?? "")
                } isSame: {
                    option($0)?.text == option($1)?.text
                } copy: {
                    if let source = option($0), option($1) != nil { $1.fields.options[place].text = source.text }
                },
                FieldPart("mark.\(place)") {
                    .lines([option($0)?.line].compactMap(\.self))
                } isSame: { one, other in
                    let (first, second) = (option(one)?.line, option(other)?.line)
                    return first?.isMarked == second?.isMarked && first?.points == second?.points
                        && first?.feedback == second?.feedback
                } copy: {
                    guard var target = option($1), let source = option($0) else { return }
                    (target.isRight, target.points, target.feedback) = (source.isRight, source.points, source.feedback)
                    $1.fields.options[place] = target
                },
            ]
        }
        if isTruth { return lines }
        return lines + [
            FieldPart("newoptions") {
                .lines($0.fields.options.dropFirst(texts.count).map(\.line))
            } isSame: {
                $0.fields.options.dropFirst(texts.count).map(\.line)
                    == $1.fields.options.dropFirst(texts.count).map(\.line)
            } copy: { source, target in
                let added = source.fields.options.dropFirst(texts.count).map { option in
                    var option = option
                    option.was = nil
                    return option
                }
                target.fields.options = target.fields.options.prefix(texts.count) + added
            }
        ]
    }

    private static var optionsPart: FieldPart<QuestionState> {
        FieldPart("options") {
            .lines($0.fields.options.map(\.line))
        } isSame: {
            $0.fields.options.map(\.line) == $1.fields.options.map(\.line)
        } copy: {
            $1.fields.options = $0.fields.options
        }
    }

    static func rowParts(
        _ base: QuestionFields?, _ theirs: QuestionFields, _ mine: QuestionFields
    ) -> [FieldPart<QuestionState>] {
        func bare(_ rows: some Sequence<QuestionFields.Row>) -> [QuestionFields.Row] {
            rows.map { QuestionFields.Row(was: nil, text: $0.text, right: $0.right) }
        }
        func lines(_ rows: some Sequence<QuestionFields.Row>, _ state: QuestionState) -> FieldValue {
            .lines(rows.map { row(of: $0, state) })
        }
        let texts = base?.rows.map(\.text) ?? []
        guard base != nil, isAligned(theirs.rows.map(\.text), nil, to: texts),
            isAligned(mine.rows.map(\.text), mine.rows.map(\.was), to: texts)
        else {
            return [
                FieldPart("rows") {
                    lines($0.fields.rows, $0)
                } isSame: {
                    bare($0.fields.rows) == bare($1.fields.rows)
                } copy: {
                    $1.fields.rows = $0.fields.rows
                }
            ]
        }
        let parts = texts.indices.map { place in
            FieldPart<QuestionState>("row.\(place)") {
                lines($0.fields.rows.dropFirst(place).prefix(1), $0)
            } isSame: {
                bare($0.fields.rows.dropFirst(place).prefix(1)) == bare($1.fields.rows.dropFirst(place).prefix(1))
            } copy: {
                guard $0.fields.rows.indices.contains(place), $1.fields.rows.indices.contains(place) else { return }
                $1.fields.rows[place] = QuestionFields.Row(
                    was: place, text: $0.fields.rows[place].text, right: $0.fields.rows[place].right)
            }
        }
        return parts + [
            FieldPart("newrows") {
                lines($0.fields.rows.dropFirst(texts.count), $0)
            } isSame: {
                bare($0.fields.rows.dropFirst(texts.count)) == bare($1.fields.rows.dropFirst(texts.count))
            } copy: {
                $1.fields.rows = $1.fields.rows.prefix(texts.count) + bare($0.fields.rows.dropFirst(texts.count))
            }
        ]
    }

    /// Rows and options of a table as one: rows name their options by places.
    static var tablePart: FieldPart<QuestionState> {
        func bare(_ state: QuestionState) -> [FieldValue.Line] {
            state.fields.options.map { FieldValue.Line(text: $0.text) } + state.fields.rows.map { row(of: $0, state) }
        }
        return FieldPart("table") {
            .lines(bare($0))
        } isSame: {
            bare($0) == bare($1)
        } copy: {
            $1.fields.options = $0.fields.options
            $1.fields.rows = $0.fields.rows
        }
    }

    private static func row(of row: QuestionFields.Row, _ state: QuestionState) -> FieldValue.Line {
        let options = state.fields.options
        let right = row.right.filter { options.indices.contains($0) }.map { options[$0].text }
        return FieldValue.Line(text: right.isEmpty ? row.text : "\(row.text): \(right.joined(separator: ", "))")
    }

    static func gapPart(_ name: String) -> FieldPart<QuestionState> {
        func gap(_ state: QuestionState) -> QuestionFields.Gap? { state.fields.gaps.first { $0.name == name } }
        return FieldPart("gap.\(name)") { state in
            guard let gap = gap(state) else { return .deleted }
            let options = QuestionFields.lines(gap.options).map { FieldValue.Line(text: $0) }
            return .kind(
                gap.kind, options + QuestionFields.lines(gap.accepted).map { FieldValue.Line(text: $0, isMarked: true) }
            )
        } isSame: {
            gap($0) == gap($1)
        } copy: { source, target in
            let place = target.fields.gaps.firstIndex { $0.name == name }
            switch (gap(source), place) {
            case (let gap?, let place?): target.fields.gaps[place] = gap
            case (let gap?, nil): target.fields.gaps.append(gap)
            case (nil, let place?): target.fields.gaps.remove(at: place)
            case (nil, nil): break
            }
        }
    }
}
