import Model
import OutboxStore
import Quire
import QuireWording

/// The facts about a questionnaire, in a few words each.
struct ItemFacts {
    let item: LibraryItem
    let context: ScreenContext

    func list() throws -> [[String: String]] {
        let words = context.words
        var facts: [[String: String]] = []
        func add(_ kind: String, _ text: String) { facts.append(["kind": kind, "text": text]) }
        let freshness = item.freshness(now: context.now)
        if freshness == .notHere {
            add("away", freshness.words(context.request.language))
        } else {
            add("here", words.text("on this device"))
            add(freshness == .fresh ? "fresh" : "stale", freshness.words(context.request.language))
        }
        if !item.drafts.isEmpty { add("draft", words.drafts(item.drafts.count)) }
        for draft in item.drafts {
            guard let found = try context.store.outbox.find(draft), found.status.isDraft,
                let record = context.store.outbox.listed(found)?.record,
                record.questionnaire.digest != item.record.digest
            else { continue }
            add("newer", words.text("newer version available"))
            break
        }
        return facts
    }
}
