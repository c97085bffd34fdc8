import ArgumentParser
import Model
import Quire
import Terminal

/// The ids that a shell completes, out of the store. Where there is no store, or it cannot be read, there are none.
enum StoreCompletion {
    /// Ids of questionnaires.
    static let questionnaire = CompletionKind.custom { words, _, prefix in
        candidates(words, prefix) { try questionnaires(of: $0) }
    }

    /// Ids of tests.
    static let test = CompletionKind.custom { words, _, prefix in
        candidates(words, prefix) { try tests(of: $0) { _ in true } }
    }

    /// Ids of tests that can still be answered.
    static let draft = CompletionKind.custom { words, _, prefix in
        candidates(words, prefix) { try tests(of: $0) { $0.isDraft } }
    }

    /// Ids of questionnaires, and of tests that can still be answered.
    static let questionnaireOrDraft = CompletionKind.custom { words, _, prefix in
        candidates(words, prefix) { try questionnaires(of: $0) + tests(of: $0) { $0.isDraft } }
    }

    /// Ids of questionnaires and tests.
    static let questionnaireOrTest = CompletionKind.custom { words, _, prefix in
        candidates(words, prefix) { try questionnaires(of: $0) + tests(of: $0) { _ in true } }
    }

    /// A candidate, and the title that some shells show beside it.
    private struct Candidate {
        var id: String
        var title: String
    }

    private static func questionnaires(of store: QuireStore) throws -> [Candidate] {
        var found: [Candidate] = []
        try store.localLibrary.each(in: Output.language) { found.append(Candidate(id: $0.id, title: $0.title)) }
        return found
    }

    private static func tests(of store: QuireStore, where isWanted: (TestStatus) -> Bool) throws -> [Candidate] {
        let shown = try store.people.shown()
        return try store.tests(status: nil).filter { isWanted($0.item.status) && shown.includes($0.record) }.map {
            Candidate(id: $0.item.id.description, title: $0.record?.questionnaire.title ?? "")
        }
    }

    private static func candidates(
        _ words: [String], _ prefix: String, _ list: (QuireStore) throws -> [Candidate]
    ) -> [String] {
        // A completion has nowhere to report an error to.
        guard let options = try? StoreOptions.parse(storeOption(of: words)), let store = try? options.openStore(),
            let all = try? list(store)
        else { return [] }
        // An open quotation is the shell's.
        let typed = prefix.drop { $0 == "'" || $0 == "\"" }
        return all.filter { $0.id.hasPrefix(typed) && isPlainlySafe($0.id) }.map(shown)
    }

    /// `--store DIR` of the line that is completed.
    static func storeOption(of words: [String]) -> [String] {
        if let place = words.lastIndex(of: "--store"), words.indices.contains(place + 1) {
            return ["--store", unquoted(words[place + 1])]
        }
        return words.last { $0.hasPrefix("--store=") }.map { ["--store", unquoted(String($0.dropFirst(8)))] } ?? []
    }

    private static func unquoted(_ word: String) -> String {
        let path = word.filter { $0 != "'" && $0 != "\"" && $0 != "\\" }
        guard path.hasPrefix("~/"), let home = StoreOptions.home else { return path }
        return home + path.dropFirst()
    }

    /// A candidate in the form of the shell that asks.
    private static func shown(_ candidate: Candidate) -> String {
        let title = isPlainlySafe(candidate.title) ? candidate.title.filter { !$0.isNewline && $0 != "\t" } : ""
        switch CompletionShell.requesting {
        case .zsh: return candidate.id.replacing(":", with: "\\:") + (title.isEmpty ? "" : ":" + title)
        case .fish: return candidate.id + (title.isEmpty ? "" : "\t" + title)
        default: return candidate.id
        }
    }
}
