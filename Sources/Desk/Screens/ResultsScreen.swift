import Host
import Model
import Results

/// Persons and questions: points, or answers.
struct ResultsScreen {
    let page: QuestionnairePage

    private static let longestCell = 300

    private var showsAnswers: Bool {
        page.context.request.query["cells"].map { $0 == "answers" } ?? !page.overview.hasPoints
    }

    func content() throws -> DeskScreens.Content {
        let (language, overview, query) = (page.language, page.overview, page.context.request.query)
        let order = TableOrder(page.context.request)
        let cells = showsAnswers ? "answers" : "points"
        let attempt = ("attempt", page.attempts == .last ? nil : page.attempts.rawValue)
        let kept: [(String, String?)] = [attempt, ("cells", cells)]
        let selection = TestSelection(
            page: page, screen: "results", kept: kept + [("sort", query["sort"]), ("order", query["order"])])
        let members = selection.members
        func href(_ sort: [(String, String?)]) -> String { page.href("results", kept + members + sort) }
        var heads = [
            ("name", language.text("Name")), ("attempt", language.text("Attempt")), ("score", language.text("Score")),
        ]
        .map { order.head($0, $1, href) }
        for (place, column) in overview.columns.enumerated() {
            heads.append(order.head("q:" + column.id, "\(place + 1)", title: page.line(column), href))
        }
        let contents: [[String: any Sendable]] = [
            ("points", language.text("Points")), ("answers", language.text("Answers")),
        ]
        .map { key, name in
            [
                "href": page.href("results", [attempt, ("cells", key)] + members), "name": name,
                "current": key == cells,
            ]
        }
        var downloads: [[String: any Sendable]] = [
            ["href": page.href("results.csv", [attempt]), "name": language.text("Download the answers as CSV")],
            [
                "href": page.href("results.csv", [attempt, ("cells", "points")]),
                "name": language.text("Download the points as CSV"),
            ],
            ["href": page.href("code-book.csv"), "name": language.text("Download the code book")],
        ]
        if language.decimalSeparator == "," {
            downloads.insert(
                [
                    "href": page.href("results.csv", [attempt, ("separator", "semicolon")]),
                    "name": language.text("Download the answers for Excel"),
                ], at: 0)
        }
        if overview.hasFiles {
            downloads.append([
                "href": page.href("files.zip", [attempt]), "name": language.text("Download all files as ZIP"),
            ])
        }
        let chosen = selection.entries(of: overview.choosing(page.attempts))
        let (shown, links) = selection.pages(try sorted(chosen, order))
        let table = try page.context.services.archive.table(of: overview, tests: shown)
        var model: [String: any Sendable] = [
            "again": page.href("again"), "hasAgain": overview.hasPoints, "heads": heads,
            "rows": table.rows.map { row($0, table) }, "contents": contents, "downloads": downloads,
            "attempts": page.attemptLinks("results", [("cells", cells)] + members), "selection": selection.form(),
            "counts": page.counts(chosen),
            "report": page.href("report", [attempt] + members.filter { $0.0 == "group" }),
        ]
        model["pages"] = links
        return page.content(.results, "results", model)
    }

    private func sorted(
        _ entries: [ResultOverview.Entry], _ order: TableOrder
    ) throws -> [ResultOverview.Entry] {
        guard order.key.hasPrefix("q:") else { return order.sorted(entries) }
        let question = String(order.key.dropFirst(2))
        guard showsAnswers, page.overview.place(of: question) != nil else {
            return order.sorted(entries) { $0.points.points(of: question) }
        }
        // Answers are in the tests alone: each of them is read.
        let table = try page.context.services.archive.table(of: page.overview, tests: entries)
        guard let place = table.place(of: question) else { return entries }
        let lines = Dictionary(
            table.rows.map { ($0.test, TextFolding.fold($0.cells[place].line)) },
            uniquingKeysWith: { first, _ in first })
        return order.sorted(entries) { lines[$0.test] }
    }

    private func row(_ row: ResultTable.Row, _ table: ResultTable) -> [String: any Sendable] {
        var score = ""
        if let points = row.score, let maximum = row.maximum {
            score = page.context.points(points, maximum)
            if row.status != .rated { score += page.language.text(" so far") }
        }
        return [
            "href": "/desk/t/\(row.test)", "name": page.name(row), "attempt": "\(row.attempt)", "score": score,
            "cells": page.overview.columns.map { column in
                table.place(of: column.id).map { cell(row.cells[$0]) } ?? ["kind": "not", "text": "·"]
            },
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
