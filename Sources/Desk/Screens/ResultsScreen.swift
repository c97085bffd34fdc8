import Model
import Results

/// Persons and questions: points, or answers.
struct ResultsScreen {
    let page: QuestionnairePage

    private static let longestCell = 300

    private var showsAnswers: Bool {
        page.context.request.query["cells"].map { $0 == "answers" } ?? !page.table.hasPoints
    }

    func content() -> DeskScreens.Content {
        let language = page.language
        let table = page.table.choosing(page.attempts)
        let order = TableOrder(page.context.request)
        let cells = showsAnswers ? "answers" : "points"
        let kept: [(String, String?)] = [
            ("attempt", page.attempts == .last ? nil : page.attempts.rawValue), ("cells", cells),
        ]
        func href(_ sort: [(String, String?)]) -> String { page.href("results", kept + sort) }
        var heads = [
            ("name", language.text("Name")), ("attempt", language.text("Attempt")), ("score", language.text("Score")),
        ]
        .map { order.head($0, $1, href) }
        for (place, column) in table.columns.enumerated() {
            heads.append(order.head("q:" + column.id, "\(place + 1)", title: page.line(column), href))
        }
        let contents: [[String: any Sendable]] = [
            ("points", language.text("Points")), ("answers", language.text("Answers")),
        ]
        .map { key, name in
            ["href": page.href("results", [kept[0], ("cells", key)]), "name": name, "current": key == cells]
        }
        let downloads: [[String: any Sendable]] = [
            ["href": page.href("results.csv", [kept[0]]), "name": language.text("Download the answers as CSV")],
            [
                "href": page.href("results.csv", [kept[0], ("cells", "points")]),
                "name": language.text("Download the points as CSV"),
            ],
            ["href": page.href("code-book.csv"), "name": language.text("Download the code book")],
        ]
        return page.content(
            .results, "results",
            [
                "again": page.table.hasPoints ? page.href("again") : "", "hasAgain": page.table.hasPoints,
                "heads": heads, "rows": sorted(table, order).map(row), "contents": contents, "downloads": downloads,
                "attempts": page.attemptLinks("results", [kept[1]]),
            ])
    }

    private func sorted(_ table: ResultTable, _ order: TableOrder) -> [ResultTable.Row] {
        let rows = table.rows
        switch order.key {
        case "attempt": return order.sorted(rows) { $0.attempt }
        case "score": return order.sorted(rows) { $0.score }
        case let key where key.hasPrefix("q:"):
            guard let place = table.place(of: String(key.dropFirst(2))) else { return rows }
            if showsAnswers { return order.sorted(rows) { TextFolding.fold($0.cells[place].line) } }
            return order.sorted(rows) { $0.cells[place].points }
        default: return order.isDescending ? rows.reversed() : rows
        }
    }

    private func row(_ row: ResultTable.Row) -> [String: any Sendable] {
        var score = ""
        if let points = row.score, let maximum = row.maximum {
            score = page.context.points(points, maximum)
            if row.status != .rated { score += page.language.text(" so far") }
        }
        return [
            "href": "/desk/t/\(row.test)", "name": page.name(row), "attempt": "\(row.attempt)", "score": score,
            "cells": row.cells.map(cell),
        ]
    }

    private func cell(_ cell: ResultTable.Cell) -> [String: any Sendable] {
        if !cell.isAsked { return ["kind": "not", "text": "·"] }
        let kind = cell.waits ? "waits" : cell.correct.map { $0 ? "right" : "wrong" } ?? ""
        if showsAnswers {
            let line = cell.line
            return ["kind": kind, "text": line.count > Self.longestCell ? line.prefix(Self.longestCell) + "…" : line]
        }
        let text = cell.waits ? "?" : cell.points.map(page.context.number) ?? (cell.isAnswered ? "–" : "")
        return ["kind": kind, "text": text]
    }
}
