import ArgumentParser
import Model
import Quire

/// Options that leave lines of a list out.
struct ListFilter: ParsableArguments {
    @Option(
        help: ArgumentHelp("Only those in this language, or translated into it, such as ru.", valueName: "tag"))
    var language: String?
    @Option(help: ArgumentHelp("Only those of this subject, or with this tag.", valueName: "text"))
    var subject: String?
    @Option(help: ArgumentHelp("Only those of this level.", valueName: "text"))
    var level: String?
    @Option(
        help: ArgumentHelp(
            "Only those in this state: \(State.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "state"))
    var state: State?

    /// The words of the list's third column for scripts, and the marks in its last.
    enum State: String, ExpressibleByArgument, CaseIterable {
        case fresh, stale, edited, unsent, kept, conflict, rejected, gone
        case notDownloaded = "not-downloaded"
        case favorite, pinned, draft
    }

    var isEmpty: Bool { language == nil && subject == nil && level == nil && state == nil }

    func validate() throws {
        let given = [("language", language), ("subject", subject), ("level", level)]
        for (name, value) in given where value?.isEmpty == true {
            throw ValidationError("--\(name) is empty: name one, or leave it out")
        }
    }

    /// The parts of a document that are asked about.
    private struct Facts {
        var topics = Topics()
        var translations: [String: JSONValue]?

        init(_ bytes: [UInt8]) {
            struct Translations: Decodable {
                var translations: [String: JSONValue]?
            }
            topics = (try? DocumentCoding.decode(Topics.self, from: bytes)) ?? topics
            translations = (try? DocumentCoding.decode(Translations.self, from: bytes))?.translations
        }

        init() {}
    }

    /// Whether a line passes. Its document is read where its topics or its translations decide.
    func includes(_ item: LibraryItem, _ store: QuireStore, now: Timestamp) throws -> Bool {
        if let state, !Self.matches(state, item, now: now) { return false }
        let isAboutAny = subject == nil && level == nil
        if let language, item.document.locale.map({ Self.isLanguage($0, in: language) }) == true, isAboutAny {
            return true
        }
        guard language != nil || !isAboutAny else { return true }
        let bytes = try store.documents.document(digest: item.record.digest)
        // A document that is not here, or is damaged, has the language of its record and is about nothing.
        let facts = bytes.map(Facts.init) ?? Facts()
        if let language {
            let languages = [item.document.locale].compactMap(\.self) + (facts.translations ?? [:]).keys
            guard languages.contains(where: { Self.isLanguage($0, in: language) }) else { return false }
        }
        return subject.map(facts.topics.has(subject:)) ?? true && level.map(facts.topics.has(level:)) ?? true
    }

    private static func matches(_ state: State, _ item: LibraryItem, now: Timestamp) -> Bool {
        switch state {
        case .favorite: item.isFavorite
        case .pinned: item.isPinned
        case .draft: !item.drafts.isEmpty
        default: item.freshness(now: now).name == state.rawValue
        }
    }

    /// Basic filtering of RFC 4647, section 3.3.1: “de” has “de-AT”, in any case of letters.
    private static func isLanguage(_ tag: String, in range: String) -> Bool {
        let (tag, range) = (tag.lowercased().replacing("_", with: "-"), range.lowercased().replacing("_", with: "-"))
        return tag == range || tag.hasPrefix(range + "-")
    }
}
