import Model
import OutboxStore
import Quire

/// All questionnaires: searched, sorted, with their states.
struct LibraryScreen {
    let context: ScreenContext

    static let pageSize = 50

    func content() throws -> Screens.Content {
        let (request, words) = (context.request, context.words)
        let query = String((request.query["q"] ?? "").prefix(200))
        let order = request.query["sort"].flatMap(LibraryOrder.init(rawValue:)) ?? .title
        // A query that folds to nothing (dots, spaces) searches for nothing.
        let isSearch = !TextFolding.fold(query).isEmpty
        let items = isSearch ? try context.store.search(query).map(\.item) : try context.store.library(sortedBy: order)
        var parameters: [(String, String)] = []
        if isSearch { parameters.append(("q", query)) }
        if order != .title { parameters.append(("sort", order.rawValue)) }
        let (range, pages) = context.pages(count: items.count, size: Self.pageSize, path: "/", query: parameters)
        var model: [String: any Sendable] = [
            "query": query, "sort": order.rawValue, "count": words.found(items.count, isSearch: isSearch),
            "items": try items[range].map(row), "own": words.text("My questionnaires"),
        ]
        if let pages { model["pages"] = pages }
        if !isSearch { model["orders"] = ["items": orders(order)] }
        if items.isEmpty { model["empty"] = empty(query, isSearch: isSearch) }
        return Screens.Content(template: .library, title: words[.library], model: model)
    }

    private func orders(_ current: LibraryOrder) -> [[String: any Sendable]] {
        let words = context.words
        return LibraryOrder.allCases.map { order in
            let name =
                switch order {
                case .title: words.text("By title")
                case .updated: words.text("Newest first")
                case .used: words.text("Last used")
                }
            return [
                "name": name, "current": order == current, "href": order == .title ? "/" : "/?sort=\(order.rawValue)",
            ]
        }
    }

    private func empty(_ query: String, isSearch: Bool) -> String {
        let words = context.words
        if isSearch {
            return words.text("Nothing matches “\(query)”. Try fewer words, or part of a word.")
        }
        guard context.store.settings.remote != nil else {
            return words.text("No server is set yet. Enter its address in Settings.")
        }
        return context.live.isOnline
            ? words.text("The library is empty. Check for updates.")
            : context.storeContext.way == .byItself
                ? words.text(
                    "The library is empty, and there is no connection. Questionnaires will be fetched as soon as there is one."
                )
                : words.text("The library is empty, and there is no connection.")
    }

    private func row(_ item: LibraryItem) throws -> [String: any Sendable] {
        let shown = item.document.texts(in: context.words.language)
        var row: [String: any Sendable] = [
            "href": "/q/\(PercentEncoding.encode(item.id))", "title": ItemName.of(shown.title, id: item.id),
            "questions": context.words.questions(item.document.questionCount),
            "favorite": item.isFavorite ? "true" : "false", "toggled": item.isFavorite ? "0" : "1",
            "facts": try ItemFacts(item: item, context: context).list(),
        ]
        if !shown.description.isEmpty { row["description"] = String(shown.description.prefix(200)) }
        if let locale = shown.locale { row["locale"] = locale }
        return row
    }
}
