import Host
import Model
import Results

/// Persons and questions: points, answers, or the points of each section.
struct ResultsScreen {
    let page: QuestionnairePage

    private static let longestCell = 300

    /// The content of the table's cells.
    private enum Content: String {
        case points, answers, sections
    }

    private var hasSections: Bool { page.overview.hasPoints && !page.overview.sections.isEmpty }

    private var shown: Content {
        let chosen = page.context.request.query["cells"].flatMap(Content.init(rawValue:))
        guard let chosen, chosen != .sections || hasSections else {
            return page.overview.hasPoints ? .points : .answers
        }
        return chosen
    }

    func content() throws -> DeskScreens.Content {
        let (language, overview, query) = (page.language, page.overview, page.context.request.query)
        let order = TableOrder(page.context.request)
        let content = shown
        let attempt = ("attempt", page.attempts == .last ? nil : page.attempts.rawValue)
        let kept: [(String, String?)] = [attempt, ("cells", content.rawValue)]
        let selection = TestSelection(
            page: page, screen: "results", kept: kept + [("sort", query["sort"]), ("order", query["order"])])
        let members = selection.members
        func href(_ sort: [(String, String?)]) -> String { page.href("results", kept + members + sort) }
        var heads = [
            ("name", language.text("Name")), ("attempt", language.text("Attempt")), ("score", language.text("Score")),
        ]
        .map { order.head($0, $1, href) }
        if content == .sections {
            let words = StatisticsWords(language: language)
            heads += overview.sections.map {
                order.head("s:" + $0.id, page.line($0, words.name($0)), href)
            }
        } else {
            for (place, column) in overview.columns.enumerated() {
                heads.append(order.head("q:" + column.id, "\(place + 1)", title: page.line(column), href))
            }
        }
        var names: [(Content, String)] = [
            (.points, language.text("Points")), (.answers, language.text("Answers")),
        ]
        if hasSections { names.insert((.sections, language.text("By section")), at: 1) }
        let contents: [[String: any Sendable]] = names.map { key, name in
            [
                "href": page.href("results", [attempt, ("cells", key.rawValue)] + members), "name": name,
                "current": key == content,
            ]
        }
        var downloads: [[String: any Sendable]] = [
            ["href": page.href("results.csv", [attempt]), "name": language.text("Download the answers as CSV")],
            [
                "href": page.href("results.csv", [attempt, ("cells", "points")]),
                "name": language.text("Download the points as CSV"),
            ],
            ["href": page.href("code-book.csv"), "name": language.text("Download the code book")],
            ["href": page.href("results.jsonl", [attempt]), "name": language.text("Download as JSON Lines")],
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
        let (tests, links) = selection.pages(try sorted(chosen, order))
        let table = try page.context.services.archive.results.table(of: overview, tests: tests)
        let columns = Columns(overview, table)
        var model: [String: any Sendable] = [
            "again": page.href("again"), "hasAgain": overview.hasPoints, "heads": heads,
            "rows": table.rows.map { row($0, columns) }, "hasTexts": content == .answers, "contents": contents,
            "downloads": downloads,
            "attempts": page.attemptLinks("results", [("cells", content.rawValue)] + members),
            "selection": selection.form(),
            "counts": page.counts(chosen),
            "report": page.href("report", [attempt] + members.filter { $0.0 == "group" }),
        ]
        model["pages"] = links
        return page.content(.results, "results", model)
    }

    private func sorted(
        _ entries: [ResultOverview.Entry], _ order: TableOrder
    ) throws -> [ResultOverview.Entry] {
        if order.key.hasPrefix("s:"),
            let section = page.overview.sections.first(where: { $0.id == order.key.dropFirst(2) })
        {
            let questions = section.places.map { page.overview.columns[$0].id }
            return order.sorted(entries) { entry in
                let points = questions.compactMap { entry.points.points(of: $0) }
                return points.isEmpty ? nil : points.reduce(0, +)
            }
        }
        guard order.key.hasPrefix("q:") else { return order.sorted(entries) }
        let question = String(order.key.dropFirst(2))
        guard shown == .answers, page.overview.place(of: question) != nil else {
            return order.sorted(entries) { $0.points.points(of: question) }
        }
        // Answers are in the tests alone: each of them is read.
        let table = try page.context.services.archive.results.table(of: page.overview, tests: entries)
        guard let place = table.place(of: question) else { return entries }
        let lines = Dictionary(
            table.rows.map { ($0.test, TextFolding.fold($0.cells[place].line)) },
            uniquingKeysWith: { first, _ in first })
        return order.sorted(entries) { lines[$0.test] }
    }

    /// Where the columns of the overview are in the table of one page: looked up once, not for each row.
    private struct Columns {
        let places: [Int?]
        let sections: [SectionColumns?]

        init(_ overview: ResultOverview, _ table: ResultTable) {
            places = overview.columns.map { table.place(of: $0.id) }
            sections = overview.sections.map { section in table.sections.first { $0.id == section.id } }
        }
    }

    private func row(_ row: ResultTable.Row, _ columns: Columns) -> [String: any Sendable] {
        var score = ""
        if let points = row.score, let maximum = row.maximum {
            score = page.context.points(points, maximum)
            if row.status != .rated { score += page.language.text(" so far") }
        }
        return [
            "href": "/desk/t/\(row.test)", "name": page.name(row), "attempt": "\(row.attempt)", "score": score,
            "cells": shown == .sections
                ? columns.sections.map { section($0, row) }
                : columns.places.map { place in place.map { cell(row.cells[$0]) } ?? Self.notAsked },
        ]
    }

    private static let notAsked: [String: any Sendable] = ["kind": "not", "text": "·"]

    private func section(_ section: SectionColumns?, _ row: ResultTable.Row) -> [String: any Sendable] {
        guard let points = section?.points(of: row) else { return Self.notAsked }
        let sum = page.context.points(points.points, points.maximum)
        return points.waits ? ["kind": "waits", "text": sum + " ?"] : ["kind": "", "text": sum]
    }

    private func cell(_ cell: ResultTable.Cell) -> [String: any Sendable] {
        if !cell.isAsked { return Self.notAsked }
        let kind = cell.waits ? "waits" : cell.correct.map { $0 ? "right" : "wrong" } ?? ""
        if shown == .answers {
            let line = cell.line
            return ["kind": kind, "text": line.count > Self.longestCell ? line.prefix(Self.longestCell) + "…" : line]
        }
        let text = cell.waits ? "?" : cell.points.map(page.context.number) ?? (cell.isAnswered ? "–" : "")
        return ["kind": kind, "text": text]
    }
}
