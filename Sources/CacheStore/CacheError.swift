import Model

/// Why the cache rejects an operation.
public enum CacheError: DescribedError, Equatable {
    /// The content is larger than the quota, or than what may be evicted for it.
    case quotaExceeded(url: String, neededBytes: Int64, quotaBytes: Int64)
    /// The quota is smaller than the content that is pinned, marked as favourite or used by drafts.
    case protectedContentExceedsQuota(protectedBytes: Int64, quotaBytes: Int64)
    /// Content that may not be stored, or that is not a questionnaire where one was expected.
    case invalidDocument(url: String, DocumentFault)
    case notCached(String)
    /// The content was changed on this machine, and the change was not released.
    case editedHere(String)

    public var description: String {
        switch self {
        case .quotaExceeded(let url, let needed, let quota):
            "\(url) needs \(ByteCount.format(needed)), which does not fit into the cache's quota of "
                + "\(ByteCount.format(quota)): raise it with --quota, or unpin something"
        case .protectedContentExceedsQuota(let protected, let quota):
            "the protected content (pins, favourites, drafts' versions, the folders) takes \(ByteCount.format(protected)), "
                + "more than the quota of \(ByteCount.format(quota)): raise it with --quota, or unpin something"
        case .invalidDocument(let url, let fault): "\(url) is not a questionnaire: \(fault)"
        case .editedHere(let url): "\(url) was edited here: “quire pull ID --discard-edits” takes the server's version"
        case .notCached(let id): "“\(id)” is not on this device: pull it first"
        }
    }
}
