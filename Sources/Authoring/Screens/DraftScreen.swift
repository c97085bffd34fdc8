import Model
import Wording

/// The questions of a draft, with what is done to them.
struct DraftScreen {
    let page: DraftPage

    func content() throws -> AuthoringScreens.Content {
        let language = page.language
        let findings = Dictionary(grouping: DraftFinding.all(in: page.document), by: \.place)
        let blocks = page.document.blocks
        let questions = blocks.flatMap(\.questions)
        var (number, place) = (0, 0)
        let models = blocks.enumerated().map { index, block -> [String: any Sendable] in
            let cards = block.questions.map { question -> [String: any Sendable] in
                number += question.takesAnswer ? 1 : 0
                defer { place += 1 }
                return card(
                    question, place, number, of: questions.count, isInSection: block.section != nil,
                    findings[.question(question.id)] ?? [])
            }
            var model: [String: any Sendable] = ["cards": cards, "section": false]
            if let section = block.section {
                model["section"] = self.section(section, index, of: blocks, findings)
            }
            return model
        }
        return try page.content(
            .draft, "",
            [
                "action": page.href(), "pasteHref": page.href("paste"), "copyHref": page.href("copy"), "blocks": models,
                "empty": questions.isEmpty,
                "sections": SectionWords(page: page).choices(nil), "hasSections": !page.document.sections.isEmpty,
                "kinds": Question.Kind.offered.map { ["value": $0.rawValue, "name": $0.name(language)] },
                "counts": counts(questions),
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
        _ question: DraftQuestion, _ place: Int, _ number: Int, of count: Int, isInSection: Bool,
        _ findings: [DraftFinding]
    ) -> [String: any Sendable] {
        let language = page.language
        let line = page.document.textFormat.line(of: question.text)
        let name = line.trimmed.isEmpty ? language.text("Without a text") : String(line.prefix(200))
        let isMoved = page.context.request.query["at"] == question.id
        let moved = isMoved ? page.context.request.query["by"] : nil
        var card: [String: any Sendable] = [
            "place": "\(place)", "id": question.id, "text": name, "href": page.href(question: question.id),
            "facts": facts(question),
            // At the edge of a section there is still the way out of it.
            "isFirst": place == 0 && !isInSection, "isLast": place == count - 1 && !isInSection,
            "focus": isMoved && moved == nil, "focusUp": moved == "up", "focusDown": moved == "down",
            "upLabel": language.text("Move up: \(name)"), "downLabel": language.text("Move down: \(name)"),
            "duplicateLabel": language.text("Duplicate: \(name)"), "deleteLabel": language.text("Delete: \(name)"),
            "findings": words(findings),
        ]
        if question.takesAnswer { card["number"] = "\(number)" }
        return card
    }

    private func words(_ findings: [DraftFinding]) -> [[String: any Sendable]] {
        findings.map {
            ["text": FindingWords(language: page.language).text($0), "kind": $0.isFault ? "bad" : "newer"]
        }
    }

    private func section(
        _ section: DraftSection, _ index: Int, of blocks: [DraftDocument.Block],
        _ findings: [DraftFinding.Place: [DraftFinding]]
    ) -> [String: any Sendable] {
        let (language, words) = (page.language, SectionWords(page: page))
        let name = words.name(section)
        let number = page.document.sections.firstIndex { $0.id == section.id } ?? 0
        let moved = page.context.request.query["at"] == section.id ? page.context.request.query["by"] : nil
        let count = blocks.count { !$0.questions.isEmpty }
        return [
            "n": "\(number)", "id": section.id, "name": name, "href": page.href(section: section.id),
            "facts": words.facts(section).map { ["text": $0] },
            "findings": self.words(findings[.section(number)] ?? []),
            "moves": !blocks[index].questions.isEmpty, "isEmpty": blocks[index].questions.isEmpty,
            "isFirst": index == 0, "isLast": index == count - 1,
            "focusUp": moved == "sectionup", "focusDown": moved == "sectiondown",
            "upLabel": language.text("Move up: \(name)"), "downLabel": language.text("Move down: \(name)"),
            "editLabel": language.text("Edit: \(name)"),
        ]
    }

    private func facts(_ question: DraftQuestion) -> [[String: any Sendable]] {
        let language = page.language
        var facts = [question.unknownKind ?? question.kind.name(language)]
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
