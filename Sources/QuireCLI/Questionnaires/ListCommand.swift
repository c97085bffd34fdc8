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
}

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the questionnaires on this device, favourites first.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @OptionGroup var filter: ListFilter
    @OptionGroup var paging: PagerOption
    @Option(help: "title, updated or used.") var sort: Order = .title

    enum Order: String, ExpressibleByArgument, CaseIterable {
        case title, updated, used
    }

    func run() throws {
        let store = try options.openStore()
        if !format.json { options.tellOfPeople(store) }
        let now = store.clock.now
        var lines = ListPrinter(paging)
        if sort == .title, !format.json, filter.isEmpty {
            try store.localLibrary.each(in: Output.language) { lines.add($0) }
        } else {
            let all = try store.library(sortedBy: LibraryOrder(rawValue: sort.rawValue) ?? .title)
            let items = filter.isEmpty ? all : try all.filter { try filter.includes($0, store, now: now) }
            if format.json { return try Output.json(list: items.lazy.map { LibraryLine($0, now: now) }) }
            for item in items { lines.add(ListedQuestionnaire(item, now: now, in: Output.language)) }
        }
        guard lines.finish() == 0 else { return }
        if filter.isEmpty {
            options.say("Nothing here yet: quire pull")
        } else {
            options.say("Nothing here is like that.")
        }
    }
}

struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find questionnaires by words in titles, descriptions, questions and options.",
        discussion: """
            Case, accents, ё/е and punctuation do not matter. All words must occur, within other words or in another form: \
            “berries” finds “berry”, in the language of the questionnaire.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @OptionGroup var paging: PagerOption
    @Flag(name: .customLong("titles"), help: "Search titles only.") var isTitlesOnly = false
    @Argument(help: "Words.") var text: [String]

    func run() throws {
        let store = try options.openStore()
        let now = store.clock.now
        let words = text.joined(separator: " ")
        var lines = ListPrinter(paging)
        if isTitlesOnly, !format.json {
            try store.localLibrary.each(titled: words, in: Output.language) { lines.add($0) }
        } else {
            let items = try store.search(words, in: isTitlesOnly ? .titles : .everything).map(\.item)
            if format.json { return try Output.json(list: items.lazy.map { LibraryLine($0, now: now) }) }
            for item in items { lines.add(ListedQuestionnaire(item, now: now, in: Output.language)) }
        }
        if lines.finish() == 0 { options.say("Nothing has these words.") }
    }
}
