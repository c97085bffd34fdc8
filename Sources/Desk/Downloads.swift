import Disk
import HTTPTypes
import Host
import Hummingbird
import Model
import NIOCore
import Printing
import Results

/// Downloads of the desk: the files of tests as one archive, and tests on paper.
struct Downloads {
    let context: DeskContext

    /// The files of the attempts that count, in a folder for each test.
    func files(_ page: QuestionnairePage) throws -> Response {
        let language = context.language
        let hidesNames = context.request.hidesNames
        return try context.services.files(
            of: page.overview.choosing(page.attempts), of: page.overview, named: "\(page.overview.id).zip",
            isHead: context.request.method == .head
        ) { entry in
            let attempt = language.text("attempt \(entry.attempt)")
            guard !hidesNames, let person = entry.summary.person else { return [entry.test.description] }
            return [person.group, "\(person.name), \(attempt)"].compactMap(\.self)
        }
    }

    /// A test as a page for paper, with its answers, points and comments.
    func printed(_ id: TestID) throws -> Response {
        guard let (record, receipt, version) = try context.services.archive.handedIn(id), let version else {
            throw DeskError.notFound(context.language)
        }
        var shown = record
        if context.request.hidesNames { shown.person = nil }
        let document = PrintedDocument(
            version.questionnaire.arranged(for: record), record: shown, receipt: receipt,
            time: LocalTime.inWords)
        return page(document.html)
    }

    /// The results of a class as a page for paper: of the group that the address names, else of all groups.
    func report(_ page: QuestionnairePage) throws -> Response {
        let services = context.services
        let table = try services.archive.results.table(of: page.overview.id, attempts: page.attempts)
        let group = context.request.query["group"].flatMap { $0.isEmpty ? nil : $0 }
        let report = PrintedReport(
            table, group: group, people: try services.people(), language: context.language,
            time: LocalTime.inWords(services.clock.now))
        return self.page(report.html)
    }

    private func page(_ html: String) -> Response {
        var fields = HTTPFields()
        fields[.contentType] = "text/html; charset=utf-8"
        fields[.cacheControl] = "no-store"
        fields[.contentSecurityPolicy] = PrintedPage.policy
        return Response(status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(string: html)))
    }
}
