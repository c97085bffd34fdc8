import ArgumentParser
import Model
import Quire
import Terminal

/// A questionnaire in JSON listings.
struct LibraryLine: Encodable {
    var id, title, description: String
    @Nullable var serverId: String?
    @Nullable var change: ChangeAction?
    @Nullable var locale: String?
    var questionCount: Int
    @Nullable var updatedAt: Timestamp?
    var state: String
    var fetchedAt, freshUntil, lastUsed: Timestamp
    var favorite, pinned, edited: Bool
    var drafts: [TestID]
    var digest: Digest
    var sizeBytes: Int
    var url: String

    init(_ item: LibraryItem, now: Timestamp) {
        id = item.id
        serverId = item.serverId
        change = item.local?.status.isDelivered == false ? item.local?.change.action : nil
        title = item.title
        description = item.document.description
        locale = item.document.locale
        questionCount = item.document.questionCount
        updatedAt = item.document.updatedAt
        state = item.freshness(now: now).name
        fetchedAt = item.record.responseTime
        freshUntil = item.record.freshUntil
        lastUsed = item.record.lastUsed
        favorite = item.isFavorite
        pinned = item.isPinned
        edited = item.record.isEdited
        drafts = item.drafts
        digest = item.record.digest
        sizeBytes = item.record.sizeBytes
        url = item.record.url
    }

    static func print(_ items: [LibraryItem], now: Timestamp) {
        var lines: [UInt8] = []
        for item in items {
            if Output.traits.isTerminal {
                lines += pretty(item, now: now).utf8
            } else {
                // One line each, fields apart by tabs: for cut and sort.
                append(item.id, to: &lines, endingWith: "\t")
                append(item.title, to: &lines, endingWith: "\t")
                append(String(item.document.questionCount), to: &lines, endingWith: "\t")
                append(item.freshness(now: now).name, to: &lines, endingWith: "\t")
                if item.isFavorite { lines += "favorite".utf8 }
                if !item.drafts.isEmpty { lines += (item.isFavorite ? ",draft" : "draft").utf8 }
            }
            lines.append(UInt8(ascii: "\n"))
            if lines.count >= Self.pieceBytes {
                Output.write(lines)
                lines.removeAll(keepingCapacity: true)
            }
        }
        Output.write(lines)
    }

    /// What is written at once: a call for each line would take longer than the line.
    private static let pieceBytes = 64 << 10

    private static func append(_ field: String, to lines: inout [UInt8], endingWith end: Unicode.Scalar) {
        if isPlainlySafe(field) {
            lines += field.utf8
        } else {
            lines += terminalSafe(field).map { $0.isNewline || $0 == "\t" ? " " : String($0) }.joined().utf8
        }
        lines.append(UInt8(ascii: end))
    }

    private static func pretty(_ item: LibraryItem, now: Timestamp) -> String {
        let language = Output.language
        let count = item.document.questionCount
        var notes = [
            language.pick(Language.count(count, "question"), "вопросов: \(count)"),
            item.freshness(now: now).words(language),
        ]
        if !item.drafts.isEmpty { notes.append(language.pick("draft", "черновик")) }
        if item.isPinned { notes.append(language.pick("pinned", "закреплено")) }
        let tail = notes.joined(separator: " · ")
        let width = max(40, Output.traits.columns)
        let mark = item.isFavorite ? (Output.traits.isPlain ? "* " : "★ ") : "  "
        if width < 100 {
            return mark + Output.styled(clip(terminalSafe(item.title), width: width - 3), .bold) + "\n    "
                + Output.styled(clip(terminalSafe(item.id + " · " + tail), width: width - 5), .dim)
        }
        let id = padded(item.id, to: 24)
        let title = padded(item.title, to: max(10, width - 24 - displayWidth(tail) - 6))
        return mark + id + " " + Output.styled(title, .bold) + "  " + Output.styled(tail, .dim)
    }

    private static func padded(_ text: String, to width: Int) -> String {
        let clipped = clip(terminalSafe(text), width: width)
        return clipped + String(repeating: " ", count: max(0, width - displayWidth(clipped)))
    }
}

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the questionnaires on this device, favourites first.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Option(help: "title, updated or used.") var sort: Order = .title

    enum Order: String, ExpressibleByArgument, CaseIterable {
        case title, updated, used
    }

    func run() throws {
        let store = try QuireStore.open(at: options.path)
        let items = try store.library(sortedBy: LibraryOrder(rawValue: sort.rawValue) ?? .title)
        let now = store.clock.now
        if format.json { return try Output.json(items.map { LibraryLine($0, now: now) }) }
        LibraryLine.print(items, now: now)
        if items.isEmpty { options.say("Nothing here yet: quire pull", "Пока ничего нет: quire pull") }
    }
}

struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find questionnaires by words in titles, descriptions, questions and options.",
        discussion: "Case, accents, ё/е and punctuation do not matter. All words must occur.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Flag(name: .customLong("titles"), help: "Look in titles alone.") var isTitlesOnly = false
    @Argument(help: "Words.") var text: [String]

    func run() throws {
        let store = try QuireStore.open(at: options.path)
        let items = try store.search(text.joined(separator: " "), in: isTitlesOnly ? .titles : .everything).map(\.item)
        let now = store.clock.now
        if format.json { return try Output.json(items.map { LibraryLine($0, now: now) }) }
        LibraryLine.print(items, now: now)
        if items.isEmpty { options.say("Nothing has these words.", "Ничего не найдено.") }
    }
}
