import Model
import Wording

/// The form of one question.
struct QuestionScreen {
    let page: DraftPage
    let question: DraftQuestion
    let fields: QuestionFields

    init(page: DraftPage, question: DraftQuestion) {
        self.page = page
        self.question = question
        fields = QuestionFields(question, in: page.document)
    }

    private var language: Language { page.language }

    func content() throws -> AuthoringScreens.Content {
        let questions = page.document.questions
        let place = questions.firstIndex { $0.id == question.id } ?? 0
        var model: [String: any Sendable] = [
            "action": page.href(question: question.id), "newline": "\n", "shown": fields.kind?.rawValue ?? "",
            "heading": language.text("Question \(place + 1) of \(questions.count)"), "text": fields.text,
            "hint": fields.hint,
            "required": fields.isRequired, "points": fields.points, "explanation": fields.explanation,
            "takesAnswer": question.takesAnswer, "markdown": page.document.textFormat == .markdown,
            "isNew": page.context.request.query["said"] == "added", "showsKey": fields.showsKey,
            "kinds": Question.Kind.offered.map { kind -> [String: any Sendable] in
                ["value": kind.rawValue, "name": kind.name(language), "current": kind == fields.kind]
            },
            "findings": DraftFinding.all(in: page.document).filter { $0.place == .question(question.id) }.map {
                ["text": FindingWords(language: language).text($0)]
            },
        ]
        model["hasFindings"] = (model["findings"] as? [[String: String]])?.isEmpty == false
        if place > 0 { model["before"] = page.href(question: questions[place - 1].id) }
        if place + 1 < questions.count { model["next"] = page.href(question: questions[place + 1].id) }
        if TrialScreen.preview(question, page) != nil {
            model["frames"] = PreviewFrames(page: page).models(of: question)
        }
        model["hasPreview"] = model["frames"] != nil
        model["unknownKind"] = question.unknownKind
        model["kept"] = kept()
        if page.context.services.takesMedia { model["mediaWords"] = MediaScreen.words(question.members, language) }
        model["sections"] = SectionWords(page: page).choices(page.document.section(of: question.id)?.id)
        model["hasSections"] = !page.document.sections.isEmpty
        if let kind = fields.kind { addFields(of: kind, to: &model) }
        ConditionList(page: page, excluded: [question.id], fields: fields.condition).add(to: &model)
        var content = try page.content(.draftquestion, "q", model)
        content.hasFrames = true
        return content
    }

    /// Members that the form does not show, in words.
    private func kept() -> String? {
        let names = question.members.keys.filter { !Self.shownMembers.contains($0) }.sorted()
        var parts = names.map { "“\($0)”" }
        if !fields.showsKey, fields.kind?.hasKey == true {
            parts.append(language.text("the key, which has a form of its own"))
        }
        if !fields.condition.isShown { parts.append(language.text("the condition, which has a form of its own")) }
        guard !parts.isEmpty else { return nil }
        return language.text("Not shown here, and kept as it is: \(parts.joined(separator: ", ")).")
    }

    private static let shownMembers: Set<String> = [
        "id", "text", "kind", "hint", "required", "points", "options", "rows", "gaps", "other", "multiple", "multiline",
        "unit", "scale", "constraint", "accept", "capture", "maxFiles",
        "condition", "media",
    ]

    // MARK: The fields of the kinds

    private func addFields(of kind: Question.Kind, to model: inout [String: any Sendable]) {
        switch kind.fieldGroup {
        case .options:
            model["hasOptions"] = true
            model["isRanking"] = kind.shape == .order
            model["mayHaveOther"] = kind.shape != .order
            addOptions(hasTicks: kind.shape != .order, to: &model)
        case .truth:
            model["isTruth"] = true
            addOptions(hasTicks: true, to: &model)
        case .table:
            model["hasOptions"] = true
            model["isTable"] = true
            model["isMatrix"] = kind.isTable
            addOptions(hasTicks: false, to: &model)
            addRows(to: &model)
        case .gaps: addGaps(to: &model)
        case .text: model["isText"] = true
        case .number: model["isNumber"] = true
        case .moment:
            model["isMoment"] = true
            model["momentType"] = Self.inputType(kind)
        case .scale: model["isScale"] = true
        case .file: addFile(to: &model)
        case .none: break
        }
        model["hasTyped"] = kind.hasTypedKey && fields.showsKey
        if kind.hasTypedKey { addAccepted(kind, to: &model) }
        model["hasPartial"] = fields.showsKey && (kind.hasParts || kind.shape == .options || kind.shape == .order)
        for (name, value) in [
            ("other", fields.allowsOther), ("partial", fields.isPartial), ("exact", fields.isExact),
            ("ordered", fields.isOrdered), ("multiple", fields.isMultiple), ("multiline", fields.isMultiline),
            ("whole", fields.isWhole),
        ] { model[name] = value }
        for (name, value) in [
            ("tolerance", fields.tolerance), ("unit", fields.unit), ("least", fields.least), ("most", fields.most),
            ("step", fields.step), ("leastLabel", fields.leastLabel), ("mostLabel", fields.mostLabel),
            ("longest", fields.longest), ("after", fields.after), ("before", fields.before),
            ("mostFiles", fields.mostFiles),
        ] { model[name == "before" ? "beforeLimit" : name] = value }
    }

    /// How many empty fields follow those that are filled in.
    private var blanks: Int { page.context.request.query["more"] != nil ? 6 : 2 }

    private func addOptions(hasTicks: Bool, to model: inout [String: any Sendable]) {
        var options = fields.options
        let isTruth = fields.kind?.valueForm == .truth
        if !isTruth { options += (0..<max(blanks, 4 - options.count)).map { _ in QuestionFields.Option() } }
        let words = [language.text("Yes"), language.text("No")]
        model["options"] = options.enumerated().map { place, option -> [String: any Sendable] in
            let name = option.isBlank && isTruth ? words[place] : language.text("Option \(place + 1)")
            return [
                "n": "\(place)", "was": option.was.map { "\($0)" } ?? "", "text": option.text, "right": option.isRight,
                "points": option.points, "feedback": option.feedback, "name": name,
                "placeholder": isTruth ? words[place] : name, "ticks": hasTicks && fields.showsKey,
                "rightLabel": language.text("\(name) is right"), "moves": option.was != nil && !isTruth,
                "open": !option.points.isEmpty || !option.feedback.isEmpty,
                "more": hasTicks && fields.showsKey && (option.was != nil || isTruth),
                "upLabel": language.text("Move up: \(name)"), "downLabel": language.text("Move down: \(name)"),
                "removeLabel": language.text("Remove: \(name)"),
            ]
        }
    }

    private func addRows(to model: inout [String: any Sendable]) {
        let rows = fields.rows + (0..<max(blanks, 3 - fields.rows.count)).map { _ in QuestionFields.Row() }
        let options = fields.options.enumerated().filter { !$0.element.isBlank }
        model["rows"] = rows.enumerated().map { place, row -> [String: any Sendable] in
            let name = language.text("Row \(place + 1)")
            return [
                "n": "\(place)", "was": row.was.map { "\($0)" } ?? "", "text": row.text, "name": name,
                "moves": row.was != nil, "picks": !options.isEmpty && fields.showsKey, "several": fields.isMultiple,
                "rightLabel": language.text("What is right for: \(name)"),
                "choices": options.map { option -> [String: any Sendable] in
                    [
                        "value": "\(option.offset)", "text": option.element.text,
                        "chosen": row.right.contains(option.offset),
                    ]
                },
                "upLabel": language.text("Move up: \(name)"), "downLabel": language.text("Move down: \(name)"),
                "removeLabel": language.text("Remove: \(name)"),
            ]
        }
    }

    private func addGaps(to model: inout [String: any Sendable]) {
        model["isGaps"] = true
        let kinds = Question.Kind.offered.filter(\.fitsGap)
        model["gaps"] = fields.gaps.enumerated().map { place, gap -> [String: any Sendable] in
            let offered = kinds.contains(gap.kind) ? kinds : kinds + [gap.kind]
            return [
                "n": "\(place)", "name": gap.name, "marker": "{{" + gap.name + "}}", "options": gap.options,
                "accepted": gap.accepted, "shows": fields.showsKey,
                "kinds": offered.map { kind -> [String: any Sendable] in
                    ["value": kind.rawValue, "name": kind.name(language), "current": kind == gap.kind]
                },
            ]
        }
    }

    private func addFile(to model: inout [String: any Sendable]) {
        model["isFile"] = true
        let types = Self.fileTypes(language)
        let known = types.contains { $0.0 == fields.fileTypes }
        model["types"] = (types + (known ? [] : [(fields.fileTypes, fields.fileTypes)])).map {
            ["value": $0.0, "name": $0.1, "current": $0.0 == fields.fileTypes] as [String: any Sendable]
        }
        model["captures"] = Self.captures(language).map {
            ["value": $0.0, "name": $0.1, "current": $0.0 == fields.capture] as [String: any Sendable]
        }
    }

    static func fileTypes(_ language: Language) -> [(String, String)] {
        [
            ("", language.text("Files of every kind")), ("image/*", language.text("Pictures")),
            ("audio/*", language.text("Sound", context: "files")), ("video/*", language.text("Films")),
            ("application/pdf", "PDF"),
        ]
    }

    static func captures(_ language: Language) -> [(String, String)] {
        [
            ("", language.text("Choose a file")), ("camera", language.text("Take a picture")),
            ("microphone", language.text("Record sound")), ("signature", language.text("Sign")),
        ]
    }

    private func addAccepted(_ kind: Question.Kind, to model: inout [String: any Sendable]) {
        let accepted = fields.accepted + (0..<(blanks - 1)).map { _ in QuestionFields.Accepted() }
        model["accepted"] = accepted.enumerated().map { place, answer -> [String: any Sendable] in
            [
                "n": "\(place)", "value": answer.value, "points": answer.points, "feedback": answer.feedback,
                "name": place == 0 ? language.text("Right answer") : language.text("Another right answer"),
                "open": !answer.points.isEmpty || !answer.feedback.isEmpty,
                "type": Self.inputType(kind),
            ]
        }
        model["hasTolerance"] = kind.fieldGroup == .number
        model["hasExact"] = kind.valueForm == .text
    }

    /// The type of HTML's field for one value.
    private static func inputType(_ kind: Question.Kind) -> String {
        switch kind.valueForm {
        case .moment(.date): "date"
        case .moment(.time): "time"
        default: "text"
        }
    }
}
