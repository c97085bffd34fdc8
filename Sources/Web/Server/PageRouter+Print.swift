import Disk
import HTTPTypes
import Hummingbird
import Model
import NIOCore
import OutboxStore
import Printing
import Quire

/// Pages for paper.
extension PageRouter {
    /// A page with longer pictures would be hard to open.
    private static let mostPictureBytes = 4 << 20

    /// `/q/ID/print`
    func printQuestionnaire(_ request: PageRequest, _ id: String) async throws -> PageReply {
        let storeContext = self.storeContext
        let opened = try await storeContext.store.open(
            id: id, remote: storeContext.remote, isOffline: storeContext.isOffline)
        let document = PrintedDocument(
            opened.questionnaire.shown(in: request.language), form: Self.form(request),
            picture: Self.picture(opened.questionnaire.id, nil, storeContext))
        return try await Self.reply(document)
    }

    /// `/t/UUID/print`: the questions of a draft in its order, and a finished test with its answers.
    func printTest(_ request: PageRequest, _ id: TestID) async throws -> PageReply {
        let storeContext = self.storeContext
        let store = storeContext.store
        let document = try await offload { () throws -> PrintedDocument? in
            let line = try store.outboxListing.test(id)
            let record = try store.outboxListing.record(of: line)
            try store.people.checkShown(record)
            guard let questionnaire = try store.questionnaire(of: record) else { return nil }
            let isEmpty = line.item.status.isDraft || Self.form(request) == .answerSheet
            return PrintedDocument(
                questionnaire.shown(in: request.language, for: record), form: Self.form(request),
                record: isEmpty ? nil : record,
                receipt: isEmpty ? nil : line.receipt,
                picture: Self.picture(questionnaire.id, record, storeContext), time: LocalTime.inWords)
        }
        guard let document else { throw PageProblem.notFound(request.language) }
        return try await Self.reply(document)
    }

    private static func form(_ request: PageRequest) -> PrintedDocument.Form {
        request.query["sheet"] == nil ? .questions : .answerSheet
    }

    private static func picture(
        _ id: String, _ record: TestRecord?, _ storeContext: StoreContext
    ) -> @Sendable (Media) -> PrintedDocument.Picture? {
        { medium in
            storeContext.store.shownMedia.bytes(
                of: medium, questionnaire: id, in: record, remote: storeContext.remote, most: mostPictureBytes
            ).map { PrintedDocument.Picture(mediaType: $0.mediaType, bytes: $0.bytes) }
        }
    }

    private static func reply(_ document: PrintedDocument) async throws -> PageReply {
        let html = try await offload { document.html }
        var fields = HTTPFields()
        fields.protect(PrintedPage.policy + "; frame-ancestors 'none'")
        fields[.contentType] = "text/html; charset=utf-8"
        fields[.cacheControl] = "no-store"
        return .response(Response(status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(string: html))))
    }
}
