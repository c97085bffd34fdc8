import Model
import Quire

/// The context of a screen.
struct ScreenContext: Sendable {
    var request: PageRequest
    var storeContext: StoreContext
    var live: LiveState

    var store: QuireStore { storeContext.store }
    var words: PageWords { PageWords(language: request.language) }
    var now: Timestamp { store.clock.now }

    /// The tests that the current person may see.
    func tests() throws -> [QuireStore.TestLine] {
        let shown = try store.people.shown()
        return try store.tests().filter { shown.includes($0.record) }
    }

    /// A part of a long list.
    func pages(
        count: Int, size: Int, path: String, query: [(String, String)]
    ) -> (range: Range<Int>, model: [String: any Sendable]?) {
        let last = max(0, (count - 1) / size)
        let page = min(max(0, (request.query["page"].flatMap { Int(place: $0) } ?? 1) - 1), last)
        let range = page * size..<min(count, (page + 1) * size)
        guard last > 0 else { return (range, nil) }
        func href(_ page: Int) -> String {
            path + "?"
                + (query + [("page", "\(page + 1)")]).map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(
                    separator: "&")
        }
        var model: [String: any Sendable] = [
            "place": words.text("\(page + 1) of \(last + 1)")
        ]
        if page > 0 { model["previous"] = href(page - 1) }
        if page < last { model["next"] = href(page + 1) }
        return (range, model)
    }
}
