import Model
import Quire
import Terminal

/// Known words and ids that resemble a mistyped one.
struct Suggestion {
    /// Quoted, with the title where there is one.
    var candidates: [String]

    /// `nil` where there is none.
    init?(_ candidates: [String]) {
        if candidates.isEmpty { return nil }
        self.candidates = Array(candidates.prefix(Self.most))
    }

    private static let most = 3

    /// The question, which comes after what happened.
    var question: String {
        let language = Output.language
        let last = candidates.last ?? ""
        let words =
            candidates.count == 1
            ? last : language.text("\(candidates.dropLast().joined(separator: ", ")) or \(last)", context: "suggestion")
        return language.text("Did you mean \(words)?")
    }

    static func quoted(_ text: String) -> String { Output.language.text("“\(text)”", context: "quotation") }

    /// Commands or options.
    static func words(like word: String, among known: [String]) -> Suggestion? {
        Suggestion(TextSimilarity.nearest(to: word, among: known, by: \.self).map(quoted))
    }

    // MARK: Ids

    private struct Named {
        var id: String
        var title: String
        var shown: String {
            title.isEmpty || title == id
                ? Suggestion.quoted(id) : "\(Suggestion.quoted(id)) (\(clip(title, width: 40)))"
        }
    }

    /// Questionnaires, tests and people of the store whose id or title resembles a text.
    ///
    /// - Parameter arguments: the command line, which may name the store.
    static func ids(like text: String, arguments: [String]) -> Suggestion? {
        // A suggestion has nowhere to report an error to.
        guard let options = try? StoreOptions.parse(StoreCompletion.storeOption(of: arguments)),
            let store = try? options.openStore()
        else { return nil }
        var named: [Named] = []
        try? store.localLibrary.each(in: Output.language) { named.append(Named(id: $0.id, title: $0.title)) }
        named += ((try? store.people.known()) ?? []).map { Named(id: $0.id, title: $0.name) }
        // What was typed may be the beginning of a test's id.
        let length = text.count
        let shown = try? store.people.shown()
        let tests = ((try? store.tests(status: nil)) ?? []).filter { shown?.includes($0.record) ?? false }
            .map {
                Named(id: String("\($0.item.id)".prefix(max(8, length))), title: $0.record?.questionnaire.title ?? "")
            }
        let titled = TextFolding.fold(text)
        let found = [
            TextSimilarity.nearest(to: text, among: named, by: \.id),
            length < 4 ? [] : TextSimilarity.nearest(to: text, among: tests) { String($0.id.prefix(length)) },
            TextSimilarity.nearest(to: text, among: named, by: \.title),
            titled.count < 3 ? [] : named.filter { (" " + TextFolding.fold($0.title)).contains(" " + titled) },
        ].first { !$0.isEmpty }
        return Suggestion((found ?? []).filter { isPlainlySafe($0.id) }.map(\.shown))
    }
}
