import Model

/// What the cache refuses to do.
public enum CacheError: DescribedError, Equatable {
    /// The content is larger than the whole quota, or than what may be evicted for it.
    case quotaExceeded(url: String, neededBytes: Int64, quotaBytes: Int64)
    /// The quota is smaller than what is pinned, marked as favourite or in use by drafts.
    case protectedContentExceedsQuota(protectedBytes: Int64, quotaBytes: Int64)
    /// Content that may not be kept, or is not a questionnaire, where one was expected.
    case invalidDocument(url: String, DocumentFault)
    case notCached(String)
    /// The content was changed on this machine, and nobody said that the change may go.
    case editedHere(String)

    public var description: String {
        switch self {
        case .quotaExceeded(let url, let needed, let quota):
            "\(url) needs \(ByteCount.format(needed)), which does not fit into the cache's quota of "
                + "\(ByteCount.format(quota)): raise it with --quota, or unpin something"
        case .protectedContentExceedsQuota(let protected, let quota):
            "what must stay (pins, favourites, what drafts need, the folders) takes \(ByteCount.format(protected)), "
                + "more than the quota of \(ByteCount.format(quota)): raise it with --quota, or unpin something"
        case .invalidDocument(let url, let fault): "\(url) is not a questionnaire: \(fault)"
        case .editedHere(let url): "\(url) was edited here: “quire pull ID --discard-edits” takes the server's version"
        case .notCached(let id): "“\(id)” is not on this device: pull it first"
        }
    }
}
