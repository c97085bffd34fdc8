import HTTPTypes
import Hummingbird
import Model
import NIOCore
import Quire
import ServiceLifecycle
import Wording

/// The page's live state as server-sent events (HTML, section 9.2).
struct LiveEvents: Sendable {
    let board: LiveBoard
    let screens: Screens
    let router: PageRouter

    private struct Event: Encodable {
        var version: String
        var isOnline: Bool
        var told: [Told]
    }

    private struct Told: Encodable {
        var test: TestID
        var text: String
    }

    func response(_ request: PageRequest) -> Response {
        var fields = HTTPFields()
        fields[.contentType] = "text/event-stream"
        fields[.cacheControl] = "no-store"
        let words = PageWords(language: request.language)
        let board = board
        return Response(
            status: .ok, headers: fields,
            body: ResponseBody { [self] writer in
                // The browser reconnects automatically; the pause is for a server that restarts.
                try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
                for await change in board.changes().cancelOnGracefulShutdown() {
                    // Its access may have been closed since.
                    if request.authenticator?.isClosed(request.session.id) == true { break }
                    try await writer.write(ByteBuffer(string: try event(change, words)))
                }
                try await writer.finish(nil)
            })
    }

    private func event(_ change: LiveBoard.Change, _ words: PageWords) throws -> String {
        let shown = ShownTests(change.state.people)
        let told = change.notices.compactMap { notice -> Told? in
            let record = record(notice.test)
            guard shown.includes(record) else { return nil }
            let title = record?.questionnaire.name ?? notice.test.description
            let state = notice.status.words(words.language)
            return Told(test: notice.test, text: words.text("“\(title)”: \(state)"))
        }
        let event = Event(
            version: change.state.version + (change.state.isSending ? "s" : "") + (change.state.isPulling ? "p" : ""),
            isOnline: change.state.isOnline, told: told)
        let line = String(decoding: try DocumentCoding.encodeLine(event), as: UTF8.self).filter { !$0.isNewline }
        return "event: state\ndata: \(line)\n\n"
    }

    private func record(_ id: TestID) -> TestRecord? {
        (try? router.storeContext.store.outbox.test(id))?.record
    }
}
