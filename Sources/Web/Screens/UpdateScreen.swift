import Authoring
import CacheStore
import Disk
import Model
import OutboxStore
import Quire
import Wording

/// The effect of a newer version of a questionnaire on a draft, shown before it is moved.
struct UpdateScreen: Sendable {
    let context: ScreenContext

    static func address(_ id: TestID) -> String { "/t/\(id)/update" }

    /// A draft and the newest version.
    struct Pair: Sendable {
        var draft: StoredTest
        var newest: OpenedDocument
    }

    func pair(_ id: TestID) async throws -> Pair {
        let storeContext = context.storeContext
        let store = storeContext.store
        let draft = try await offload { try store.outbox.draft(id) }
        let newest = try await store.open(
            id: draft.record.questionnaire.id, remote: storeContext.remote, isOffline: storeContext.isOffline)
        return Pair(draft: draft, newest: newest)
    }

    /// - Returns: `nil` where the draft has the newest version.
    func content(_ id: TestID) async throws -> Screens.Content? {
        let pair = try await pair(id)
        let store = context.store
        guard let update = try await offload({ try store.versionUpdate(of: pair.draft.record, to: pair.newest) }) else {
            return nil
        }
        let words = context.words
        let title = pair.newest.questionnaire.name
        var model: [String: any Sendable] = [
            "action": "/t/\(id)", "title": title,
            "summary": words.carriedOver(update.carried.count, of: pair.draft.record.answers.count),
            "changes": update.changes.flatMap { $0.words(words.language) },
            "hasChanges": !update.changes.isEmpty, "hasLeft": !update.left.isEmpty,
            "left": update.left.map { answer -> [String: any Sendable] in
                [
                    "question": update.questions[QuestionInstance.written(answer.questionId)]
                        ?? QuestionInstance.written(answer.questionId),
                    "given": answer.texts.joined(separator: ", "),
                    "reason": update.reasons[QuestionInstance.written(answer.questionId)]?.words(words.language) ?? "",
                ]
            },
            "differences": update.differences.prefix(100).map { difference -> [String: any Sendable] in
                let sides = [
                    (words.text("Draft"), difference.mine),
                    (words.text("Newer version"), difference.theirs),
                ]
                return [
                    "field": DifferenceWords(language: words.language).place(difference.field),
                    "sides": sides.map { ["side": $0, "value": String(($1?.inWords ?? "–").prefix(300))] },
                ]
            },
        ]
        model["locale"] = pair.newest.questionnaire.locale
        return Screens.Content(template: .update, title: title, model: model)
    }

    /// Moves the draft.
    ///
    /// - Returns: the new draft, and the note to show.
    func move(_ id: TestID) async throws -> (draft: TestID, note: PageNote) {
        let pair = try await pair(id)
        let (store, words) = (context.store, context.words)
        guard let update = try await offload({ try store.versionUpdate(of: pair.draft.record, to: pair.newest) }) else {
            return (id, PageNote(.calm, words[.newestAlready]))
        }
        let made = try await offload { try store.carryOver(pair.draft, to: pair.newest) }
        let summary = words.carriedOver(update.carried.count, of: pair.draft.record.answers.count)
        return (made.record.id, PageNote(update.left.isEmpty ? .good : .warn, summary))
    }
}
