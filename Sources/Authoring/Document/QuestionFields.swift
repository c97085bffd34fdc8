import Model

/// The fields of a question's form, shown and sent: texts as they were typed.
struct QuestionFields: Hashable, Sendable {
    /// An option, or one of the two words of a question that is answered by yes or no.
    struct Option: Hashable, Sendable {
        /// Its place before the form was filled in; `nil` for a new one.
        var was: Int?
        var text = ""
        var isRight = false
        var points = ""
        var feedback = ""

        var isBlank: Bool { text.allSatisfy(\.isWhitespace) }
    }

    /// An accepted answer that is typed.
    struct Accepted: Hashable, Sendable {
        var value = ""
        var points = ""
        var feedback = ""

        var isBlank: Bool { value.allSatisfy(\.isWhitespace) }
    }

    /// A row of a table, with the places of its right options.
    struct Row: Hashable, Sendable {
        var was: Int?
        var text = ""
        var right: [Int] = []

        var isBlank: Bool { text.allSatisfy(\.isWhitespace) }
    }

    /// A gap of a text, with lines of options and of accepted answers.
    struct Gap: Hashable, Sendable {
        var name: String
        var kind = Question.Kind.text
        var options = ""
        var accepted = ""
    }

    /// The kind that the form was made for, and the chosen one; `nil` for a kind that this program does not know.
    var shownKind: Question.Kind?
    var kind: Question.Kind?
    var text = ""
    var hint = ""
    var isRequired = false
    var points = ""
    var explanation = ""
    var options: [Option] = []
    var accepted: [Accepted] = []
    var rows: [Row] = []
    var gaps: [Gap] = []
    var allowsOther = false
    var isPartial = false
    var isExact = false
    var isOrdered = false
    var isMultiple = false
    var isMultiline = false
    var tolerance = ""
    var unit = ""
    var least = ""
    var most = ""
    var step = ""
    var leastLabel = ""
    var mostLabel = ""
    var isWhole = false
    var longest = ""
    var after = ""
    var before = ""
    var fileTypes = ""
    var capture = ""
    var mostFiles = ""
    var condition = ConditionFields()

    /// Whether the form shows the key; otherwise it is of a form that only its file can have, and stays as it is.
    var showsKey = true
}

extension Question.Kind {
    /// Kinds whose forms have the same fields.
    enum FieldGroup: Hashable, Sendable {
        case options, truth, text, number, moment, scale, table, gaps, file, none
    }

    var fieldGroup: FieldGroup {
        switch shape {
        case .option, .options, .order: .options
        case .rows: .table
        case .gaps: .gaps
        case .value, .other:
            switch valueForm {
            case .truth: .truth
            case .text: .text
            case .number: isScale ? .scale : .number
            case .moment: .moment
            case nil: takesFiles ? .file : .none
            }
        }
    }

    /// Whether accepted answers are typed one by one.
    var hasTypedKey: Bool { [.text, .number, .moment, .scale].contains(fieldGroup) }
}

// MARK: Of a document

extension QuestionFields {
    /// The fields as a question's form shows them.
    init(_ question: DraftQuestion, in document: DraftDocument) {
        let members = question.members
        let key = document.key(of: question.id)
        kind = question.unknownKind == nil ? question.kind : nil
        shownKind = kind
        text = question.text
        hint = members["hint"]?.text ?? ""
        isRequired = question.isRequired
        condition = ConditionFields(members["condition"])
        points = members.number("points")
        explanation = key["explanation"]?.text ?? ""
        guard let kind else {
            showsKey = false
            return
        }
        let constraint = members["constraint"]?.members ?? [:]
        options = question.options.enumerated().map { Option(was: $0, text: $1) }
        allowsOther = members["other"]?.truth ?? false
        switch kind.fieldGroup {
        case .truth: options = Self.words(question.options)
        case .table:
            rows = question.rows.enumerated().map { Row(was: $0, text: $1) }
            isMultiple = members["multiple"]?.truth ?? false
        case .gaps: gaps = Self.gaps(of: question)
        case .number:
            unit = members["unit"]?.text ?? ""
            (least, most) = (constraint.number("min"), constraint.number("max"))
            isWhole = constraint["integer"]?.truth ?? false
        case .text:
            isMultiline = members["multiline"]?.truth ?? false
            longest = constraint.number("maxLength")
        case .moment:
            (after, before) = (constraint["after"]?.text ?? "", constraint["before"]?.text ?? "")
        case .scale:
            let scale = members["scale"]?.members ?? [:]
            (least, most, step) = (scale.number("min"), scale.number("max"), scale.number("step"))
            let labels = scale["labels"]?.members ?? [:]
            (leastLabel, mostLabel) = (labels[least]?.text ?? "", labels[most]?.text ?? "")
        case .file:
            fileTypes = members["accept"]?.text ?? ""
            capture = members["capture"]?.text ?? ""
            mostFiles = members.number("maxFiles")
        case .options, .none: break
        }
        readKey(key, kind)
    }

    private static func words(_ options: [String]) -> [Option] {
        (0..<2).map { Option(was: $0, text: options.count == 2 ? options[$0] : "") }
    }

    private static func gaps(of question: DraftQuestion) -> [Gap] {
        let stored = question.members["gaps"]?.members ?? [:]
        let names = GapText.names(in: question.text)
        let unmarked = stored.keys.filter { !names.contains($0) }.sorted()
        var seen: Set<String> = []
        return (names + unmarked).filter { seen.insert($0).inserted }.map { name in
            let gap = stored[name]?.members ?? [:]
            let options = gap["options"]?.texts ?? []
            return Gap(
                name: name,
                kind: Question.Kind(stated: gap["kind"]?.text, hasOptions: !options.isEmpty, isMultiple: false),
                options: options.joined(separator: "\n"))
        }
    }
}

// MARK: Into a document

extension QuestionFields {
    /// Writes what differs from what the form showed. A form that was not changed changes nothing.
    func apply(to id: String, in document: inout DraftDocument) {
        guard let place = document.place(of: id) else { return }
        let former = document.questions[place]
        let formerFields = QuestionFields(former, in: document)
        var filled = self.filled
        filled.showsKey = formerFields.showsKey
        filled.condition =
            formerFields.condition.isShown
            ? filled.condition.withChosenValues(after: formerFields.condition, in: document) : formerFields.condition
        if filled == formerFields { return }
        filled.write(over: former, formerFields, at: place, in: &document)
    }

    /// Without the fields that were left empty.
    var filled: QuestionFields {
        var fields = self
        fields.accepted.removeAll(where: \.isBlank)
        fields.rows.removeAll(where: \.isBlank)
        guard shownKind?.fieldGroup != .truth else { return fields }
        let places = options.indices.filter { !options[$0].isBlank }
        fields.options = places.map { options[$0] }
        for row in fields.rows.indices {
            fields.rows[row].right = fields.rows[row].right.compactMap { places.firstIndex(of: $0) }
        }
        return fields
    }

    private func write(
        over former: DraftQuestion, _ formerFields: QuestionFields, at place: Int, in document: inout DraftDocument
    ) {
        let id = former.id
        var question = former
        question.text = text
        question.members.set("hint", text: hint)
        question.members.set("required", truth: isRequired)
        question.members.set("points", number: points)
        if condition != formerFields.condition { question.members["condition"] = condition.written(in: document) }
        if let kind, kind != former.kind, former.unknownKind == nil { question.become(kind) }
        if let kind, kind.fieldGroup == shownKind?.fieldGroup { write(kind, to: &question) }
        document.questions[place] = question
        followOptions(from: former, to: question, in: &document)
        var key = document.key(of: id)
        key.set("explanation", text: explanation)
        if formerFields.showsKey, let kind {
            // A key of other fields says nothing about the new kind.
            let fields = kind.fieldGroup == shownKind?.fieldGroup ? self : QuestionFields()
            fields.writeKey(
                to: &key, kind, maximum: question.members["points"].flatMap { Double($0.numberText ?? "") } ?? 1)
        }
        if key != document.key(of: id) { document.setKey(key, of: id) }
    }

    private func write(_ kind: Question.Kind, to question: inout DraftQuestion) {
        switch kind.fieldGroup {
        case .options, .table:
            question.options = options.filter { !$0.isBlank }.map(\.text)
            if kind.fieldGroup == .table {
                question.rows = rows.filter { !$0.isBlank }.map(\.text)
                if kind.isTable { question.members.set("multiple", truth: isMultiple) }
            } else if kind.shape != .order {
                question.members.set("other", truth: allowsOther)
            }
        case .truth:
            let words = options.map(\.text)
            question.members["options"] =
                words.count == 2 && !options.contains(where: \.isBlank) ? .array(words.map(JSONValue.string)) : nil
        case .text:
            question.members.set("multiline", truth: isMultiline)
            question.members.change("constraint") { $0.set("maxLength", number: longest) }
        case .number:
            question.members.set("unit", text: unit)
            question.members.change("constraint") {
                $0.set("min", number: least)
                $0.set("max", number: most)
                $0.set("integer", truth: isWhole)
            }
        case .moment:
            question.members.change("constraint") {
                $0.set("after", text: after)
                $0.set("before", text: before)
            }
        case .scale: writeScale(to: &question)
        case .gaps: writeGaps(to: &question)
        case .file:
            question.members.set("accept", text: fileTypes)
            question.members.set("capture", text: capture)
            question.members.set("maxFiles", number: mostFiles)
        case .none: break
        }
    }

    private func writeScale(to question: inout DraftQuestion) {
        question.members.change("scale") { scale in
            let (formerLeast, formerMost) = (scale.number("min"), scale.number("max"))
            scale.set("min", number: least)
            scale.set("max", number: most)
            scale.set("step", number: step)
            let (newLeast, newMost) = (scale.number("min"), scale.number("max"))
            scale.change("labels") { labels in
                (labels[formerLeast], labels[formerMost]) = (nil, nil)
                if !newLeast.isEmpty { labels.set(newLeast, text: leastLabel) }
                if !newMost.isEmpty { labels.set(newMost, text: mostLabel) }
            }
        }
    }

    private func writeGaps(to question: inout DraftQuestion) {
        let names = Set(GapText.names(in: question.text))
        question.members.change("gaps") { stored in
            // A gap goes with its marker.
            for name in stored.keys where !names.contains(name) { stored[name] = nil }
            for name in names where stored[name] == nil { stored[name] = .object(["kind": .string("text")]) }
            for gap in gaps where names.contains(gap.name) {
                stored.change(gap.name) { members in
                    members["kind"] = .string(gap.kind.rawValue)
                    let options = Self.lines(gap.options)
                    members["options"] =
                        gap.kind.shape == .option && !options.isEmpty ? .array(options.map(JSONValue.string)) : nil
                }
            }
        }
    }

    static func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { String($0).trimmed }.filter { !$0.isEmpty }
    }

    /// Whatever names an option follows when it is renamed or moved: conditions, translations, the options that stay last.
    private func followOptions(from former: DraftQuestion, to question: DraftQuestion, in document: inout DraftDocument)
    {
        let kept = options.filter { !$0.isBlank }
        guard kind?.fieldGroup == shownKind?.fieldGroup, question.kind.needsOptions, former.options != question.options
        else {
            return
        }
        var renamed: [String: String] = [:]
        for option in kept {
            if let was = option.was, former.options.indices.contains(was), former.options[was] != option.text {
                renamed[former.options[was]] = option.text
            }
        }
        document.rename(renamed, of: question.id)
        let count = former.options.count
        document.changeTranslations { questions in
            guard var texts = questions[question.id]?.members, let options = texts["options"]?.elements,
                options.count == count
            else { return }
            texts["options"] = .array(
                kept.map { option in
                    option.was.flatMap { options.indices.contains($0) ? options[$0] : nil } ?? .string(option.text)
                })
            questions[question.id] = .object(texts)
        }
    }
}
