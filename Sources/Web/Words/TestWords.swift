import Model
import OutboxStore
import Quire
import Wording

/// A test's state in words, the same wherever it is shown.
struct TestWords {
    let line: QuireStore.TestLine
    let context: ScreenContext

    var state: String {
        let words = context.words
        if line.fault != nil { return words.text("Unreadable") }
        return line.item.status.words(
            words.language, reason: line.receipt?.delivery?.reason(in: words.language), isKept: line.keptAt != nil,
            medium: context.store.medium)
    }

    /// Which revision it is, for lists; `nil` for a test that revises none.
    var revision: String? {
        line.record.flatMap { try? context.store.revisions.chain(of: $0).mark(context.words.language) }
    }
}
