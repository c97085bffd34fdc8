import CacheStore
import Model

/// Reads the server's list.
extension Puller {
    /// A list that is longer is not believed.
    static let maximumPages = 500
    static let maximumItems = 50_000
    /// A list with more pages than this must have at least so many questionnaires a page on average.
    static let sparsePages = 100
    static let fewestItemsPerPage = 10
    /// So many pages in a row that name nothing new are too many.
    static let tolerableEmptyPages = 10

    /// All items of the list. The list's first page has a validator for the whole: when it is unchanged, so is
    /// everything, and the other pages are taken from the cache.
    func list() async throws -> (items: [QuestionnaireList.Item], isComplete: Bool) {
        if let items = try await listByChanges() { return (items, true) }
        var items: [QuestionnaireList.Item] = []
        var url = fetcher.remote.listURL
        var isUnchanged = true
        var seen: Set<String> = []
        var emptyPages = 0
        func endless(_ reason: String) -> RemoteFailure {
            RemoteFailure(.invalidReply, "the list at \(fetcher.remote.listURL) does not end: \(reason)")
        }
        while true {
            guard seen.insert(url).inserted else { throw endless("“next” leads back to \(url.prefix(200))") }
            if seen.count > Self.maximumPages { throw endless("it has more than \(Self.maximumPages) pages") }
            var page: QuestionnaireList?
            if isUnchanged, seen.count > 1 { page = try storedPage(url) }
            if page == nil {
                switch try await fetcher.fetch(url, .list) {
                case .unchanged:
                    page = try storedPage(url)
                    guard page != nil else {
                        // Nothing can be made of what is stored: asked without its validators, the server sends it.
                        try await fetcher.forget(url)
                        seen.remove(url)
                        continue
                    }
                case .kept(_, let bytes), .notKept(let bytes, _):
                    isUnchanged = false
                    page = try Fetcher.list(bytes, of: url, advice: fetcher.remote.listAdvice)
                case .gone: throw RemoteFailure(.invalidReply, "there is no Quire server at \(url) (404)")
                case .refused(let status, let reason):
                    let kind: RemoteFailure.Kind =
                        status == 401 ? .tokenRefused : Fetcher.isForNow(status) ? .unavailable : .invalidReply
                    throw RemoteFailure(kind, "\(url): \(reason)")
                }
            }
            guard let page else { return (items, false) }
            items += page.questionnaires
            if items.count > Self.maximumItems {
                throw endless("it names more than \(Self.maximumItems) questionnaires")
            }
            guard let next = page.next else { return (items, true) }
            if seen.count >= Self.sparsePages, items.count < seen.count * Self.fewestItemsPerPage {
                throw endless("its first \(seen.count) pages name only \(items.count) questionnaires")
            }
            emptyPages = page.questionnaires.isEmpty ? emptyPages + 1 : 0
            if emptyPages > Self.tolerableEmptyPages {
                throw endless("\(emptyPages) pages in a row name no questionnaire")
            }
            guard let nextURL = Self.nextURL(next, listURL: fetcher.remote.listURL) else {
                throw RemoteFailure(.invalidReply, "the list's next page “\(next.prefix(80))” is not on this server")
            }
            url = nextURL
        }
    }

    /// A page of the list as it is stored; `nil` where there is none that can be read.
    func storedPage(_ url: String) throws -> QuestionnaireList? {
        guard let entry = try fetcher.cache.entry(url: url).value, entry.isPlainContent,
            let content = try fetcher.cache.content(of: entry).value
        else { return nil }
        return try? DocumentCoding.decode(QuestionnaireList.self, from: content.bytes)
    }

    static func nextURL(_ next: String, listURL: String) -> String? {
        if next.contains("?") || next.contains("/") { return RemoteURL.resolve(next, against: listURL) }
        return listURL + "?cursor=" + PercentEncoding.encode(next)
    }
}
