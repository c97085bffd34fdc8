import AuthorDrafts
import HTTPServing
import HTTPTypes
import HummingbirdCore
import InMemory
import Model
import Testing

@testable import Authoring

/// A server that has the screens at an address of its own, and keeps nothing on a disk.
private struct MemoryServer: AuthoringServices {
    let drafts: DraftStore
    var takesMedia = false

    init() {
        let clock = ManualClock()
        let files = MemoryFileSystem(clock: clock)
        drafts = DraftStore(
            fileSystem: files, clock: clock, layout: DraftLayout(folder: "written", lock: "lock", temporary: ""))
    }

    var root: String { "/somewhere/else" }
    var home: String { "/somewhere" }
    var stylesheet: String { "/somewhere/page.css" }
    var now: Timestamp { ManualClock.start }

    func words(_ language: Language) -> [String: String] { ["questionnaires": "Back to the shelf"] }
    func original(_ id: String) throws -> OriginalDocument? { nil }
    func originals() throws -> [OriginalDocument] { [] }
    func hasMedia(_ path: ContentPath, of draft: TestID) throws -> Bool { true }
    func media(_ path: String, of draft: TestID, _ fields: HTTPFields, isHead: Bool) throws -> Response? { nil }
    func addressAfterPublishing(_ id: String) -> String { "/published" }
    func versions(of id: String) -> String? { nil }

    func publish(_ draft: AuthorDraft, replaces: Bool) throws -> DraftPublishing {
        try drafts.remove(draft.id)
        return .published(draft.id.description)
    }

    func affected(_ id: String?, _ document: DraftDocument, _ difference: VersionDifference?) throws -> [String] {
        ["Those who stand before it."]
    }

    func answer(_ path: [String], _ form: [(String, String)]? = nil) throws -> AuthoringReply {
        let request = AuthoringRequest(
            method: form == nil ? .get : .post, query: FormFields(""),
            form: FormFields((form ?? []).map { (name: $0, value: $1) }), fields: [:], language: .english,
            author: "Ada",
            formToken: "token")
        return try WritingRouter(
            context: AuthoringContext(request: request, services: self), screens: AuthoringScreens()
        ).answer(path)
    }

    func address(_ path: [String], _ form: [(String, String)]) throws -> String {
        guard case .seeOther(let address) = try answer(path, form) else { throw AuthoringError.notFound }
        return address
    }

    func page(_ path: [String], _ form: [(String, String)]? = nil) throws -> AuthoringPage {
        guard case .page(let page) = try answer(path, form) else { throw AuthoringError.notFound }
        return page
    }

    /// A new draft's id.
    func start() throws -> TestID {
        let address = try address([], [("title", "Streams"), ("locale", "en")])
        return try #require(address.split(separator: "/").last.flatMap { TestID($0) })
    }
}

@Suite("The screens of authors at any server")
struct AuthoringServerTests {
    @Test("they lead to the server's own addresses, in its own words, and to no other server's")
    func addresses() throws {
        let server = MemoryServer()
        #expect(try server.page(["new"]).html.contains("action=\"/somewhere/else\""))
        let id = try server.start()
        let draft = "\(id)"
        let added = try server.address([draft], [("version", "1"), ("do", "add"), ("kind", "choice")])
        #expect(added == "/somewhere/else/\(draft)/q/q1?said=added")
        for path in [[draft], [draft, "settings"], [draft, "try"], [draft, "publish"], [draft, "q", "q1"]] {
            let html = try server.page(path).html
            #expect(!html.contains("/desk"), "\(path)")
            #expect(html.contains("href=\"/somewhere\">Back to the shelf"), "\(path)")
            #expect(html.contains("value=\"token\""), "\(path)")
        }
        #expect(try server.page([draft, "publish"]).html.contains("The question has no text."))
    }

    @Test(
        "a question of each kind has its form, is saved, and is published by the server",
        arguments: Question.Kind.offered)
    func kinds(_ kind: Question.Kind) throws {
        let server = MemoryServer()
        let draft = "\(try server.start())"
        _ = try server.address([draft], [("version", "1"), ("do", "add"), ("kind", kind.rawValue)])
        #expect(try server.page([draft, "q", "q1"]).html.contains("name=\"text\""))
        let text = kind.shape == .gaps ? "Two and {{1}}" : "What?"
        var form = [
            ("version", "2"), ("do", "done"), ("shown", kind.rawValue), ("kind", kind.rawValue), ("text", text),
        ]
        if kind.needsOptions { form += [("o.0", "A"), ("w.0", ""), ("o.1", "B"), ("w.1", "")] }
        if kind.needsRows { form += [("row.0", "First"), ("roww.0", "")] }
        if kind == .scale { form += [("least", "1"), ("most", "5")] }
        #expect(try server.address([draft, "q", "q1"], form).hasPrefix("/somewhere/else/\(draft)?said=saved"))
        let saved = try #require(try server.drafts.all().first)
        #expect(saved.savedBy == "Ada")
        #expect(DraftDocument(saved.document).question("q1")?.text == text)
        let check = try server.page([draft, "publish"]).html
        #expect(check.contains("Those who stand before it."), "\(check)")
        #expect(try server.address([draft, "publish"], [("version", "3")]) == "/published")
        #expect(throws: AuthoringError.gone) { try server.page([draft]) }
    }

    @Test("pictures are offered only where the server takes them")
    func media() throws {
        var server = MemoryServer()
        let draft = "\(try server.start())"
        _ = try server.address([draft], [("version", "1"), ("do", "add"), ("kind", "text")])
        #expect(try !server.page([draft, "q", "q1"]).html.contains("value=\"media\""))
        #expect(throws: AuthoringError.notFound) { try server.page([draft, "q", "q1", "media"]) }
        server.takesMedia = true
        #expect(try server.page([draft, "q", "q1"]).html.contains("value=\"media\""))
        #expect(try server.page([draft, "q", "q1", "media"]).html.contains("There are none yet."))
    }
}
