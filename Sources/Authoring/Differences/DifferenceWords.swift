import Model
import Wording

/// The differences of two versions in words for authors.
package struct DifferenceWords {
    let language: Language

    package init(language: Language) { self.language = language }

    package func model(_ difference: VersionDifference) -> [[String: any Sendable]] {
        difference.items.map { item in
            [
                "name": name(item),
                "changes": item.changes.map { change -> [String: any Sendable] in
                    var model: [String: any Sendable] = ["text": text(change), "hasTexts": false]
                    if case .text(let member, let old, let new) = change, member != .required {
                        model["hasTexts"] = true
                        model["from"] = old.map { words($0, member) } ?? false
                        model["to"] = new.map { words($0, member) } ?? false
                    }
                    return model
                },
            ]
        }
    }

    /// A place of a document, like `questions[q2].text`, in the words of the forms.
    package func place(_ field: String) -> String {
        guard let start = field.firstIndex(of: "["), let end = field.firstIndex(of: "]"), start < end else {
            return member(field)
        }
        let id = String(field[start..<end].dropFirst())
        let subject: String
        switch field[..<start] {
        case "questions": subject = language.text("Question \(id)")
        case "sections": subject = language.text("Section: \(id)")
        default: return member(field)
        }
        let rest = String(field[end...].dropFirst().drop { $0 == "." })
        return rest.isEmpty ? subject : subject + " · " + member(rest)
    }

    private func member(_ name: String) -> String {
        switch name {
        case "questions": language.text("Questions")
        case "options": language.text("Options")
        case "required": language.text("An answer is required")
        default: VersionDifference.Member(rawValue: name).map { text($0, nil, nil) } ?? other(name)
        }
    }

    private func name(_ item: VersionDifference.Item) -> String {
        let line = String(TextFormat.plain.line(of: item.name).prefix(120))
        switch item.subject {
        case .settings: return language.text("Settings")
        case .section: return line.isEmpty ? language.text("Section") : language.text("Section: \(line)")
        case .question: return line.isEmpty ? language.text("Without a text") : line
        }
    }

    private func words(_ text: String, _ member: VersionDifference.Member) -> [String: any Sendable] {
        switch member {
        case .opensAt, .closesAt: Timestamp(text).map { TimedText.model($0) } ?? TimedText.plain(short(text, member))
        default: TimedText.plain(short(text, member))
        }
    }

    private func short(_ text: String, _ member: VersionDifference.Member) -> String {
        if member == .kind { return Question.Kind(rawValue: text).map { $0.name(language) } ?? text }
        return String(text.prefix(2000))
    }

    private func text(_ change: VersionDifference.Change) -> String {
        switch change {
        case .added: language.text("is new")
        case .removed: language.text("was deleted")
        case .moved: language.text("stands elsewhere")
        case .text(let member, let old, let new): text(member, old, new)
        case .options(let added, let removed):
            lists(
                added, removed, language.text("New options: \(list(added))"),
                language.text("Deleted options: \(list(removed))"))
        case .rows(let added, let removed):
            added.isEmpty && removed.isEmpty
                ? language.text("The rows stand in another order")
                : lists(
                    added, removed, language.text("New rows: \(list(added))"),
                    language.text("Deleted rows: \(list(removed))"))
        case .optionOrder: language.text("The options stand in another order")
        case .key: language.text("Another key")
        case .explanation: language.text("Another explanation")
        case .media: language.text("Other pictures or sounds")
        case .section(_, let title?) where !title.isEmpty: language.text("Moved into the section “\(title)”")
        case .section(_, .some): language.text("Moved into another section")
        case .section(_, nil): language.text("Moved out of its section")
        case .other(let name): language.text("Other changes: \(other(name))")
        }
    }

    /// A member in the words of its form; its own name where no form has it.
    private func other(_ name: String) -> String {
        switch name {
        case "availability": language.text("A late test")
        case "shuffle": language.text("Order")
        case "release": language.text("What people see afterwards")
        case "condition": language.text("Condition")
        case "repeat": language.text("Several times")
        case "locale", "language": language.text("Language of the questions")
        case "media": language.text("Pictures and sound")
        case "textFormat": language.text("Texts are formatted (Markdown and formulas)")
        case "translations": language.text("Translations")
        case "finishAtTimeLimit": language.text("Hand in by itself when the time is over")
        case "subject": language.text("Subject")
        case "level": language.text("Level")
        case "tags": language.text("Tags, separated by commas")
        default: otherOfQuestion(name) ?? "“\(name)”"
        }
    }

    private func otherOfQuestion(_ name: String) -> String? {
        switch name {
        case "scale": language.text("Scale", context: "kind")
        case "gaps": language.text("Gaps")
        case "other": language.text("People may write an answer of their own")
        case "constraint": language.text("Limits of the answer")
        case "multiple": language.text("A row may have several options")
        case "multiline": language.text("Several lines")
        case "keepLast": language.text("Options that stay last")
        case "accept": language.text("Which files")
        case "capture": language.text("How it is made")
        case "maxFiles": language.text("At most so many files")
        default: nil
        }
    }

    private func list(_ texts: [String]) -> String {
        texts.map { "“\($0.prefix(80))”" }.joined(separator: ", ")
    }

    private func lists(_ added: [String], _ removed: [String], _ new: String, _ gone: String) -> String {
        [added.isEmpty ? nil : new, removed.isEmpty ? nil : gone].compactMap(\.self).joined(separator: ". ")
    }

    private func text(_ member: VersionDifference.Member, _ old: String?, _ new: String?) -> String {
        switch member {
        case .title: language.text("Title", context: "difference")
        case .description: language.text("Description", context: "difference")
        case .text: language.text("Text", context: "difference")
        case .hint: language.text("Hint", context: "difference")
        case .kind: language.text("Kind", context: "difference")
        case .points: language.text("Points", context: "difference")
        case .required:
            new == "true"
                ? language.text("An answer is required now") : language.text("An answer is not required any more")
        case .unit: language.text("Unit", context: "difference")
        case .pick: language.text("So many are drawn", context: "difference")
        case .opensAt: language.text("Opens", context: "difference")
        case .closesAt: language.text("Closes", context: "difference")
        case .attempts: language.text("Attempts for each person", context: "difference")
        case .timeLimitSeconds: language.text("Seconds for a test", context: "difference")
        case .passScore: language.text("Passed from so much", context: "difference")
        }
    }
}
