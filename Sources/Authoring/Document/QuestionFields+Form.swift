import HTTPServing
import Model

/// Reading a form that was sent, and its buttons.
extension QuestionFields {
    init(_ form: FormFields) {
        func field(_ name: String) -> String { form[name]?.unixLines ?? "" }
        func isSet(_ name: String) -> Bool { form[name] == "1" }
        shownKind = form["shown"].flatMap(Question.Kind.init(rawValue:))
        kind = form["kind"].flatMap(Question.Kind.init(rawValue:)) ?? shownKind
        text = field("text")
        hint = field("hint")
        isRequired = isSet("required")
        condition = ConditionFields(form)
        points = field("points").trimmed
        explanation = field("explanation")
        options = form.numbers("o.").map { number in
            Option(
                was: form["w.\(number)"].flatMap { Int($0) }, text: field("o.\(number)").trimmed,
                isRight: isSet("r.\(number)"), points: field("p.\(number)").trimmed, feedback: field("f.\(number)"))
        }
        accepted = form.numbers("a.").map { number in
            Accepted(
                value: field("a.\(number)").trimmed, points: field("ap.\(number)").trimmed,
                feedback: field("af.\(number)"))
        }
        rows = form.numbers("row.").map { number in
            Row(
                was: form["roww.\(number)"].flatMap { Int($0) }, text: field("row.\(number)").trimmed,
                right: form.all("rowr.\(number)").compactMap { Int($0) })
        }
        gaps = form.numbers("gap.").map { number in
            Gap(
                name: field("gap.\(number)"),
                kind: form["gapk.\(number)"].flatMap(Question.Kind.init(rawValue:)) ?? .text,
                options: field("gapo.\(number)"), accepted: field("gapa.\(number)"))
        }
        allowsOther = isSet("other")
        isPartial = isSet("partial")
        isExact = isSet("exact")
        isOrdered = isSet("ordered")
        isMultiple = isSet("multiple")
        isMultiline = isSet("multiline")
        isWhole = isSet("whole")
        tolerance = field("tolerance")
        unit = field("unit").trimmed
        (least, most, step) = (field("least").trimmed, field("most").trimmed, field("step").trimmed)
        (leastLabel, mostLabel) = (field("leastlabel").trimmed, field("mostlabel").trimmed)
        longest = field("longest")
        (after, before) = (field("after").trimmed, field("before").trimmed)
        (fileTypes, capture, mostFiles) = (field("accept"), field("capture"), field("mostfiles"))
    }

    /// The change that a button of the form makes before it is saved.
    ///
    /// - Parameter action: `up`, `down` or `remove` with the place of an option or row: `up.o.2`.
    func doing(_ action: String) -> QuestionFields {
        let parts = action.split(separator: ".")
        guard parts.count == 3, let place = Int(parts[2]) else { return self }
        var fields = self
        if parts[1] == "o" {
            // Rows name their right options by these places.
            var places = Array(options.indices)
            Self.move(parts[0], place, in: &fields.options)
            Self.move(parts[0], place, in: &places)
            for row in fields.rows.indices {
                fields.rows[row].right = fields.rows[row].right.compactMap { places.firstIndex(of: $0) }
            }
        } else if parts[1] == "row" {
            Self.move(parts[0], place, in: &fields.rows)
        }
        return fields
    }

    private static func move<Element>(_ action: Substring, _ place: Int, in list: inout [Element]) {
        guard list.indices.contains(place) else { return }
        switch action {
        case "up" where place > 0: list.swapAt(place, place - 1)
        case "down" where place + 1 < list.count: list.swapAt(place, place + 1)
        case "remove": list.remove(at: place)
        default: break
        }
    }
}

extension FormFields {
    /// The numbers of the fields whose names begin so: 0 and 2 of `o.0` and `o.2`.
    fileprivate func numbers(_ beginning: String) -> [Int] {
        Set(pairs.compactMap { $0.name.hasPrefix(beginning) ? Int($0.name.dropFirst(beginning.utf8.count)) : nil })
            .sorted()
    }
}

extension SettingsFields {
    init(_ form: FormFields) {
        func field(_ name: String) -> String { form[name]?.unixLines ?? "" }
        title = field("title").trimmed
        description = field("description")
        locale = field("locale").trimmed
        isMarkdown = form["markdown"] == "1"
        (minutes, passScore, attempts) = (field("minutes").trimmed, field("pass").trimmed, field("attempts").trimmed)
        shufflesQuestions = form["shufflequestions"] == "1"
        shufflesOptions = form["shuffleoptions"] == "1"
        (subject, level, tags) = (field("subject").trimmed, field("level").trimmed, field("tags").trimmed)
        hasTopics = form["subject"] != nil
        endsByItself = form["ends"] == "1"
        hasMoments = form["opens.at"] != nil && form["closes.at"] != nil
        opensAt = Self.moment(typed: field("opens").trimmed, as: field("opens.at"))
        closesAt = Self.moment(typed: field("closes").trimmed, as: field("closes.at"))
        late = form["late"] ?? "accept"
        for (name, standard) in Self.releases { release[name] = form["release.\(name)"] ?? standard }
    }
}
