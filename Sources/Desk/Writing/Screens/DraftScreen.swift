import Model

/// The questions of a draft, with what is done to them.
struct DraftScreen {
    let page: DraftPage

    func content() -> DeskScreens.Content {
        let language = page.language
        let findings = Dictionary(grouping: DraftFinding.all(in: page.document), by: \.place)
        let questions = page.document.questions
        var number = 0
        let cards = questions.enumerated().map { place, question -> [String: any Sendable] in
            number += question.takesAnswer ? 1 : 0
            return card(question, place, number, of: questions.count, findings[.question(question.id)] ?? [])
        }
        return page.content(
            .draft, "",
            [
                "action": page.href(), "pasteHref": page.href("paste"), "cards": cards, "empty": cards.isEmpty,
                "kinds": KindWords.offered.map { ["value": $0.rawValue, "name": KindWords.name($0, language)] },
                "last": questions.last?.id ?? "", "counts": counts(questions),
                "focusAdd": page.context.request.query["said"] == "deleted",
            ])
    }

    private func counts(_ questions: [DraftQuestion]) -> String {
        let asked = questions.count { $0.takesAnswer }
        let points = questions.filter(\.takesAnswer).reduce(0.0) {
            $0 + (Double($1.members.number("points")) ?? 1)
        }
        let words = page.language.plural(asked, one: "1 question", other: "\(asked) questions")
        return words + " · " + page.language.text("\(page.context.number(points)) points in all")
    }

    private func card(
        _ question: DraftQuestion, _ place: Int, _ number: Int, of count: Int, _ findings: [DraftFinding]
    ) -> [String: any Sendable] {
        let language = page.language
        let line = page.document.textFormat.line(of: question.text)
        let name = line.trimmed.isEmpty ? language.text("Without a text") : String(line.prefix(200))
        let moved = page.context.request.query["at"] == question.id ? page.context.request.query["by"] : nil
        var card: [String: any Sendable] = [
            "place": "\(place)", "id": question.id, "text": name, "href": page.href(question: question.id),
            "facts": facts(question),
            "isFirst": place == 0, "isLast": place == count - 1,
            "focusUp": moved == "up", "focusDown": moved == "down",
            "upLabel": language.text("Move up: \(name)"), "downLabel": language.text("Move down: \(name)"),
            "duplicateLabel": language.text("Duplicate: \(name)"), "deleteLabel": language.text("Delete: \(name)"),
            "findings": findings.map {
                ["text": FindingWords(language: language).text($0), "kind": $0.isFault ? "bad" : "newer"]
            },
        ]
        if question.takesAnswer { card["number"] = "\(number)" }
        return card
    }

    private func facts(_ question: DraftQuestion) -> [[String: any Sendable]] {
        let language = page.language
        var facts = [question.unknownKind ?? KindWords.name(question.kind, language)]
        if question.takesAnswer {
            let points = question.members.number("points")
            let worth = Double(points) ?? 1
            facts.append(
                worth == 1
                    ? language.text("1 point")
                    : language.text("\(page.context.number(worth)) points", context: "of a question"))
            let hasKey = page.document.key(of: question.id)["accept"]?.elements?.isEmpty == false
            facts.append(hasKey ? language.text("marked by its key") : language.text("marked by a teacher"))
        }
        if question.isRequired { facts.append(language.text("required")) }
        if question.members["condition"] != nil { facts.append(language.text("with a condition")) }
        if let media = question.members["media"]?.elements, !media.isEmpty {
            facts.append(language.plural(media.count, one: "1 file", other: "\(media.count) files"))
        }
        return facts.map { ["text": $0] }
    }
}
