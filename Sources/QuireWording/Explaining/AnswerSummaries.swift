import Localization
import Model
import Quire
import Wording

/// Distinguishes tests of one questionnaire in a list by their first answers, in the order of the questions.
package struct AnswerSummaries {
    private let store: QuireStore
    /// The ids of the questions, by version; read where a list has several tests of it.
    private var orders: [Digest: [String]] = [:]
    private var repeated: Set<Digest> = []

    private let language: Language

    /// - Parameter language: that of the words for yes and no.
    package init(_ lines: [QuireStore.TestLine], _ store: QuireStore, _ language: Language) {
        self.store = store
        self.language = language
        var seen: Set<Digest> = []
        for case let digest? in lines.map({ $0.record?.questionnaire.digest }) where !seen.insert(digest).inserted {
            repeated.insert(digest)
        }
    }

    /// - Returns: `nil` where the test has no answers, or cannot be read.
    package mutating func summary(of line: QuireStore.TestLine) -> String? {
        guard let record = line.record else { return nil }
        let text = record.summary(questions: order(record.questionnaire.digest), language)
        return text.isEmpty ? nil : text
    }

    private mutating func order(_ digest: Digest) -> [String] {
        guard repeated.contains(digest) else { return [] }
        if let known = orders[digest] { return known }
        // Without the version the answers come in the order in which they were given.
        let bytes = (try? store.documents.document(digest: digest)) ?? nil
        let order = bytes.flatMap { try? Questionnaire(json: $0) }?.questions.map(\.id) ?? []
        orders[digest] = order
        return order
    }
}
