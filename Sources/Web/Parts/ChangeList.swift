import Authoring
import Model
import OutboxStore
import Quire
import QuireWording
import Wording

/// Questionnaires and favourites that were changed here and that no server has acknowledged.
struct ChangeList {
    let context: ScreenContext

    func groups() throws -> [[String: any Sendable]] {
        let words = context.words
        let all = try context.store.outbox.changes().filter { !$0.item.status.isDelivered }
        guard !all.isEmpty else { return [] }
        let conflicts = Dictionary(
            try context.store.conflicts().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return [
            [
                "key": "changes", "name": words.text("Your changes"),
                "tests": try all.reversed().map { try row($0, conflicts[$0.item.id]) },
            ]
        ]
    }

    func row(_ stored: StoredChange, _ conflict: QuestionnaireConflict?) throws -> [String: any Sendable] {
        let words = context.words
        let (item, change) = (stored.item, stored.change)
        let title = ItemName.of(change.title, id: change.questionnaire)
        let receipt = (try? context.store.outbox.receipt(item)) ?? nil
        let isKept = item.status.isWaiting && receipt?.keptAt != nil
        var row: [String: any Sendable] = [
            "href": "/q/\(PercentEncoding.encode(change.questionnaire))", "title": title, "kind": item.status.tone,
            "state": item.status.words(context.request.language, isKept: isKept),
            "answers": change.action.words(context.request.language),
            "time": change.dateChanged.description, "timeWords": change.dateChanged.inWords,
        ]
        if let reason = receipt?.delivery?.reason(in: context.request.language), !reason.isEmpty, !isKept {
            row["next"] = words.text("Last attempt: \(reason).")
        } else if case .media(let media) = change {
            row["next"] = media.name
            if item.status == .done, case .refused = try context.store.explainer.standing(of: change) {
                row["next"] = words.text("\(media.name) belongs to something that was not accepted, and waits for it.")
            }
        }
        if let conflict {
            row["next"] = words.text(
                "This was changed here and on the server. Both versions stay until you decide. The other one is kept in quarantine."
            )
            row["differences"] = differences(conflict)
            row["choices"] = conflict.choices.map { choice(item.id, $0.rawValue, name($0)) }
        } else if item.status == .rejected {
            row["choices"] = [
                choice(item.id, "retry", words.text("Try again")),
                choice(item.id, "discard", words.text("Discard")),
            ]
        }
        return row
    }

    private func differences(_ conflict: QuestionnaireConflict) -> [[String: any Sendable]] {
        let words = context.words
        let (here, there) = (words.text("Here"), words.text("On the server"))
        if conflict.isDeletedThere {
            return [["field": "", "sides": [["side": there, "value": words.text("deleted")]]]]
        }
        return conflict.differences.map { difference in
            let sides = [(here, difference.mine), (there, difference.theirs)].map { side, value in
                ["side": side, "value": String((value?.inWords ?? "–").prefix(300))]
            }
            return [
                "field": DifferenceWords(language: context.request.language).place(difference.field), "sides": sides,
            ]
        }
    }

    private func name(_ choice: ConflictChoice) -> String {
        let words = context.words
        return switch choice {
        case .mine: words.text("Keep mine", context: "version")
        case .theirs: words.text("Take the server’s")
        case .both: words.text("Keep both")
        }
    }

    private func choice(_ id: TestID, _ verb: String, _ name: String) -> [String: String] {
        ["href": "/c/\(id)/\(verb)", "name": name]
    }
}
