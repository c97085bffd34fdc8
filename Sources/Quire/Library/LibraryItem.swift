import CacheStore
import HTTPCaching
import Model
import OutboxStore

/// One questionnaire as a list shows it.
public struct LibraryItem: Sendable, Hashable {
    /// The record of a document, never of a picture or a list.
    package let record: CatalogRecord
    public var isFavorite: Bool
    public var isPinned: Bool
    /// Tests of it that are not finished.
    public var drafts: [TestID]
    /// The local change, and its state.
    package var local: LocalQuestionnaires.Local? { change.first }
    /// One or none. Most have none, and there may be a hundred thousand: it takes no room in each of them.
    private let change: [LocalQuestionnaires.Local]

    /// - Returns: `nil` for a record of other content.
    init?(
        _ record: CatalogRecord, isFavorite: Bool, isPinned: Bool, drafts: [TestID], local: LocalQuestionnaires.Local?
    ) {
        guard record.isDocument else { return nil }
        self.record = record
        self.isFavorite = isFavorite
        self.isPinned = isPinned
        self.drafts = drafts
        change = local.map { [$0] } ?? []
    }

    /// One that no store has, for previews and tests: as fetched at `updated`, and fresh until `freshUntil`.
    public init(
        _ questionnaire: Questionnaire, updated: Timestamp, freshUntil: Timestamp? = nil, isFavorite: Bool = false,
        isPinned: Bool = false, drafts: [TestID] = []
    ) {
        record = CatalogRecord(
            outsideCache: DocumentSummary(questionnaire, media: []),
            digest: Digest(sha256Of: Array(questionnaire.id.utf8)), sizeBytes: 0, modified: updated,
            freshUntil: freshUntil)
        self.isFavorite = isFavorite
        self.isPinned = isPinned
        self.drafts = drafts
        change = []
    }

    public var document: DocumentSummary {
        // Proof: without one there is no item, and its record stays what it is.
        // swift-format-ignore: NeverForceUnwrap
        record.document!
    }

    /// The permanent id: the one that this device gave it, where it was made here.
    public var id: String { change.first?.change.questionnaire ?? record.documentID ?? "" }
    /// The server's id, where it is another one and is known.
    public var serverId: String? { local?.serverId }
    public var title: String { record.title }

    /// Whether the content may be used without validation.
    public func freshness(now: Timestamp) -> FreshnessState {
        if let local, !local.status.isDelivered { return .unsent(local.status, isKept: local.isKept) }
        return FreshnessState(
            isPresent: record.isPresent, isEdited: record.isEdited, isGone: record.isGone,
            responseTime: record.responseTime, freshUntil: record.freshUntil, now: now)
    }
}

public enum FreshnessState: Sendable, Hashable {
    case fresh
    /// Made or changed here, and not yet acknowledged by the server; a hub may have it.
    case unsent(TestStatus, isKept: Bool)
    /// Last known to be valid this many seconds ago.
    case stale(seconds: Double)
    /// Changed on this machine.
    case edited
    /// The server no longer lists it.
    case gone
    /// Known, but its content is not on this device.
    case notHere

    /// For a document of the cache.
    init(
        isPresent: Bool, isEdited: Bool, isGone: Bool, responseTime: Timestamp, freshUntil: Timestamp, now: Timestamp
    ) {
        if !isPresent {
            self = .notHere
        } else if isEdited {
            self = .edited
        } else if isGone {
            self = .gone
        } else {
            self = freshUntil > now ? .fresh : .stale(seconds: max(0, now.seconds(since: responseTime)))
        }
    }

    /// A word for scripts.
    public var name: String {
        switch self {
        case .fresh: "fresh"
        case .unsent(.conflict, _): "conflict"
        case .unsent(.rejected, _): "rejected"
        case .unsent(_, isKept: true): "kept"
        case .unsent: "unsent"
        case .stale: "stale"
        case .edited: "edited"
        case .gone: "gone"
        case .notHere: "not-downloaded"
        }
    }
}

/// How a list is sorted; favourites come first in each.
public enum LibraryOrder: String, Sendable, CaseIterable {
    case title, updated, used
}
