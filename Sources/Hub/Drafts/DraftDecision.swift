import Model

/// How much the hub keeps of drafts.
struct DraftBounds: Hashable, Sendable {
    /// Of one draft, or one file.
    var itemBytes = 8 << 20
    /// Drafts and files of one person.
    var personItems = 200
    var personBytes: Int64 = 64 << 20
    var totalBytes: Int64 = 1 << 30
    /// A draft that was not handed over again for so long is removed.
    var ageDays = 60
    /// How many may arrive at the same time: their bytes are in memory until they are whole.
    var personArrivals = 2
    var totalArrivals = 16
}

/// What becomes of a draft that a phone hands over.
enum DraftDecision: Hashable, Sendable {
    /// It is kept, in the place of an older one where there is one.
    case keep
    /// These very bytes are here.
    case known
    /// A newer one is here, or another one of this revision.
    case stale(Int64)
    case tooLarge
    /// The person has as many, or as much, as one may have.
    case personFull
    case hubFull

    /// What the hub holds, without the draft that would be replaced.
    struct Holdings: Hashable, Sendable {
        var personItems = 0
        var personBytes: Int64 = 0
        var totalBytes: Int64 = 0
    }

    /// - Parameters:
    ///   - stored: the revision that is here.
    ///   - isSame: whether its bytes are those that came.
    static func decide(
        revision: Int64, sizeBytes: Int, stored: Int64?, isSame: Bool, holdings: Holdings, bounds: DraftBounds
    ) -> DraftDecision {
        if let stored, revision <= stored { return revision == stored && isSame ? .known : .stale(stored) }
        if sizeBytes > bounds.itemBytes { return .tooLarge }
        let size = Int64(sizeBytes)
        if holdings.personItems + 1 > bounds.personItems || holdings.personBytes + size > bounds.personBytes {
            return .personFull
        }
        return holdings.totalBytes + size > bounds.totalBytes ? .hubFull : .keep
    }
}
