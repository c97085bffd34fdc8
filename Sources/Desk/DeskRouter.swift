import Authoring
import Disk
import HTTPServing
import Host
import Model
import Results
import WireFormat

/// Which screen answers which path.
struct DeskRouter: Sendable {
    let services: HostServices
    let screens: DeskScreens

    func answer(_ request: DeskRequest) async throws -> DeskReply {
        // Files are read on a thread that may wait for them.
        try await offload { try self.reply(request) }
    }

    private func reply(_ request: DeskRequest) throws -> DeskReply {
        let path = request.path
        let context = DeskContext(request: request, services: services)
        if path.isEmpty { return screens.page(try HomeScreen(context: context).content(), request) }
        // Everyone at the desk may write questionnaires: an author's key is the least that opens it.
        if path.first == "write" {
            return try write(Array(path.dropFirst()), context)
        }
        // Tests are for teachers: an author reads and writes questionnaires.
        guard request.canMark else {
            throw DeskError.notAllowed(
                request.language, request.language.text("This needs a key of a teacher or an admin."))
        }
        if request.method == .post { return try change(path, context) }
        switch (path.first, path.count) {
        case ("q", 2...): return try questionnaire(path, context)
        case ("t", 2): return screens.page(try TestScreen(context: context).content(path[1]), request)
        case ("t", 3) where path[2] == "print":
            guard let test = TestID(path[1]) else { throw DeskError.notFound(request.language) }
            return .response(try Downloads(context: context).printed(test))
        case ("t", 4) where path[2] == "files":
            guard let test = TestID(path[1]), let file = TestID(path[3]) else {
                throw DeskError.notFound(request.language)
            }
            guard let response = try services.file(file, of: test, request.fields, isHead: request.method == .head)
            else { throw DeskError.notFound(request.language) }
            return .response(response)
        default: throw DeskError.notFound(request.language)
        }
    }

    /// - Parameter path: the components after `write`.
    private func write(_ path: [String], _ context: DeskContext) throws -> DeskReply {
        if path.first == "of", path.count > 1 {
            return try VersionRouter(context: context, screens: screens).answer(Array(path.dropFirst()))
        }
        let writing = WritingRouter(context: context.authoring(screens), screens: screens.authoring)
        switch try writing.answer(path) {
        case .page(let page): return screens.page(page, context.request)
        case .seeOther(let address): return .seeOther(address)
        case .response(let response): return .response(response)
        }
    }

    private func questionnaire(_ path: [String], _ context: DeskContext) throws -> DeskReply {
        let request = context.request
        let page = QuestionnairePage(context: context, overview: try services.archive.results.overview(of: path[1]))
        switch (path.count > 2 ? path[2] : "", path.count) {
        case ("", 2): return screens.page(try HandedInScreen(page: page).content(), request)
        case ("results", 3): return screens.page(try ResultsScreen(page: page).content(), request)
        case ("answers", 3): return screens.page(try AnswersScreen(page: page).content(), request)
        case ("statistics", 3): return screens.page(try StatisticsScreen(page: page).content(), request)
        case ("results.csv", 3):
            let content: ResultTable.Content = request.query["cells"] == "points" ? .points : .answers
            let separator = request.query["separator"].flatMap(CSVText.Separator.init(rawValue:)) ?? .comma
            return .file(
                try services.archive.results.table(of: path[1], attempts: page.attempts).csv(
                    content, separator: separator),
                type: "text/csv; charset=utf-8",
                name: "\(page.overview.id).csv")
        case ("results.jsonl", 3):
            return .file(
                try services.archive.results.table(of: path[1], attempts: page.attempts).jsonLines(),
                type: "application/jsonl; charset=utf-8", name: "\(page.overview.id).jsonl")
        case ("code-book.csv", 3):
            let codeBook = try services.archive.results.table(of: path[1], attempts: .all).codeBook()
            return .file(codeBook, type: "text/csv; charset=utf-8", name: "\(page.overview.id)-code-book.csv")
        case ("files.zip", 3): return .response(try Downloads(context: context).files(page))
        case ("report", 3): return .response(try Downloads(context: context).report(page))
        case ("watching", 3): return screens.page(try WatchingScreen(page: page).content(), request)
        case ("again", 3): return screens.page(try RatingAgainScreen(page: page).content(), request)
        case ("comments", 3): return screens.page(try CommentsScreen(page: page).content(), request)
        case ("marking", 3): return screens.page(MarkingScreen(page: page).content(), request)
        case ("marking", 4):
            guard let content = try MarkScreen(page: page).content(path[3], after: request.query["after"]) else {
                return .seeOther(page.href("marking"))
            }
            return screens.page(content, request)
        default: throw DeskError.notFound(request.language)
        }
    }

    private func change(_ path: [String], _ context: DeskContext) throws -> DeskReply {
        let outcome: Mark.Outcome
        switch (path[0], path.count) {
        case ("t", 4) where path[2] == "marks":
            guard let test = TestID(path[1]) else { throw DeskError.notFound(context.request.language) }
            outcome = try Mark(context: context).give(to: path[3], of: test)
        case ("t", 3) where path[2] == "return":
            guard let test = TestID(path[1]) else { throw DeskError.notFound(context.request.language) }
            outcome = try TestReturn(context: context).change(test)
        case ("q", 3) where path[2] == "again":
            let page = QuestionnairePage(context: context, overview: try services.archive.results.overview(of: path[1]))
            outcome = try RatingAgainScreen(page: page).rate()
        case ("q", 3) where path[2] == "comments":
            let page = QuestionnairePage(context: context, overview: try services.archive.results.overview(of: path[1]))
            outcome = try CommentsScreen(page: page).change()
        default: throw DeskError.notFound(context.request.language)
        }
        switch outcome {
        case .saved(let next): return .seeOther(next)
        case .shown(let content): return screens.page(content, context.request)
        }
    }
}
