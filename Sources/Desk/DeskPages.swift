import AuthorDrafts
import Authoring
import Disk
import HTTPServing
import HTTPTypes
import Host
import Hummingbird
import Logging
import Model
import NIOCore
import WireFormat

/// The host's pages for teachers, at `/desk/`: every request of them enters here.
package struct DeskPages: Sendable {
    static let root = "desk"
    /// A form has a comment and a few fields.
    static let maximumFormBytes = 1 << 20
    /// That and a file.
    static let maximumUploadBytes = DraftStore.maximumMediaBytes + maximumFormBytes

    let services: HostServices
    let sessions: DeskSessions
    let screens = DeskScreens()
    let router: DeskRouter
    let logger: Logger

    private init(_ services: HostServices, logger: Logger) {
        self.services = services
        self.logger = logger
        sessions = DeskSessions(shared: services.logIns)
        router = DeskRouter(services: services, screens: screens)
    }

    /// The pages for a host.
    package static func pages(_ services: HostServices, logger: Logger) -> HostPages {
        let pages = DeskPages(services, logger: logger)
        return HostPages(root: root) { await pages.respond(to: $0, from: $1) }
    }

    func respond(to request: Request, from client: String) async -> Response {
        let cookies = RequestPreferences.cookies(request.headers)
        let language = RequestPreferences.language(cookies: cookies, fields: request.headers)
        var response: Response
        do {
            response = try await answer(request, client, cookies, language).response
        } catch {
            response = screens.message(failure(error, language), language).response
        }
        // Files of takers have a stricter policy of their own.
        if response.headers[.contentSecurityPolicy] == nil { response.headers.protect() }
        return response
    }

    private func answer(
        _ request: Request, _ client: String, _ cookies: [String: String], _ language: Language
    ) async throws -> DeskReply {
        guard [.get, .head, .post].contains(request.method) else {
            throw DeskError(
                status: .methodNotAllowed, heading: language.text("Not allowed"),
                detail: language.text("The page is read and its forms are sent; \(request.method) does nothing here."))
        }
        let components = request.uri.path.split(separator: "/", omittingEmptySubsequences: true).dropFirst()
        if request.uri.path == "/" + Self.root { return .seeOther("/desk/") }
        let path = components.map { FormFields.decode(Array($0.utf8), plusIsSpace: false) }
        if let asset = screens.assets.answer(path) { return .response(asset) }
        let isPost = request.method == .post
        if isPost, !RequestOrigin.isOwn(request.headers, authority: request.head.authority ?? "") {
            throw DeskError.notOurs(language)
        }
        let hasFile = isPost && request.headers[.contentType]?.lowercased().hasPrefix("multipart/form-data") ?? false
        var form = isPost && !hasFile ? try await self.form(of: request, language) : FormFields("")
        var file: UploadedFile?
        let secret = cookies[DeskSessions.cookie]
        if path == ["login"], isPost { return try await logIn(form, client, language) }
        guard let (session, isLoggedIn) = try await visitor(secret, client) else {
            return screens.login(language, fault: nil, status: .unauthorized)
        }
        // A file is read only from someone who may enter.
        if hasFile { (form, file) = try await upload(request, language) }
        if isPost, form["token"] != session.formToken { throw DeskError.notOurs(language) }
        let target = request.uri.path + (request.uri.query.map { "?" + $0 } ?? "")
        let read = DeskRequest(
            method: request.method, path: path, query: FormFields(request.uri.query ?? ""), form: form, file: file,
            fields: request.headers, language: language, session: session, isLoggedIn: isLoggedIn, target: target)
        switch (path, isPost) {
        case (["login"], false): return .seeOther("/desk/")
        case (["logout"], true):
            try await sessions.end(secret)
            return .seeOther("/desk/", cookies: [DeskSessions.removeCookie])
        case (["language"], true):
            let chosen = form["language"].flatMap(Language.init(rawValue:)) ?? language
            return .seeOther(read.back ?? "/desk/", cookies: [RequestPreferences.setCookie(chosen)])
        default: return try await router.answer(read)
        }
    }

    /// The user of a request: a logged-in key, or, on a host without keys, anyone on its machine.
    private func visitor(
        _ secret: String?, _ client: String
    ) async throws -> (session: DeskSessions.Session, isLoggedIn: Bool)? {
        if let session = try await sessions.session(secret, now: services.clock.now) {
            // A key that was revoked meanwhile opens nothing any more.
            if try await services.isValid(session.identity) { return (session, true) }
            try await sessions.end(secret)
        }
        guard let identity = try await services.identityWithoutKey(client) else { return nil }
        return (
            DeskSessions.Session(
                identity: identity, name: "", formToken: try await sessions.openFormToken(),
                startedAt: services.clock.now), false
        )
    }

    private func logIn(_ form: FormFields, _ client: String, _ language: Language) async throws -> DeskReply {
        let name = String((form["name"] ?? "").prefix(100)).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let key = (form["key"] ?? "").filter { !$0.isWhitespace }
        switch try await services.identity(showing: key, from: client) {
        case .known(let identity):
            let shown = name.isEmpty ? identity.name ?? identity.role.rawValue : name
            let secret = try await sessions.start(
                identity, name: shown, showing: key, now: services.clock.now)
            return .seeOther("/desk/", cookies: [DeskSessions.setCookie(secret)])
        case .tooLow:
            return screens.login(
                language,
                fault: language.text(
                    "This key is for taking tests. The desk needs one of a teacher, an author or an admin."),
                name: name, status: .forbidden)
        case .wrong:
            return screens.login(
                language, fault: language.text("This key is not one of the host’s, or it was revoked or has expired."),
                name: name, status: .forbidden)
        case .tooMany(let seconds):
            return screens.login(
                language, fault: language.text("Too many wrong keys: try again in \(seconds) s."), name: name,
                status: .tooManyRequests)
        }
    }

    private func form(of request: Request, _ language: Language) async throws -> FormFields {
        let buffer = try await content(of: request, upTo: Self.maximumFormBytes, language)
        return FormFields(String(decoding: buffer.readableBytesView, as: UTF8.self))
    }

    private func upload(
        _ request: Request, _ language: Language
    ) async throws -> (form: FormFields, file: UploadedFile?) {
        let buffer: ByteBuffer
        do {
            buffer = try await content(of: request, upTo: Self.maximumUploadBytes, language)
        } catch is NIOTooManyBytesError {
            throw tooLong(language)
        }
        let read = UploadedFile.read(Array(buffer.readableBytesView), request.headers[.contentType] ?? "")
        guard let read else { throw cutShort(language) }
        guard read.file?.bytes.count ?? 0 <= DraftStore.maximumMediaBytes else { throw tooLong(language) }
        return read
    }

    /// The complete content of a request.
    ///
    /// - Throws: `NIOTooManyBytesError`, and a `DeskError` where the connection ended before.
    private func content(of request: Request, upTo most: Int, _ language: Language) async throws -> ByteBuffer {
        let buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: most)
        } catch let error as NIOTooManyBytesError {
            throw error
        } catch {
            // The connection's own: nothing of the host has a part in it.
            throw cutShort(language)
        }
        // One that breaks may look like the end of the content.
        let length = request.headers[.contentLength].flatMap { Int($0) }
        guard length == nil || length == buffer.readableBytes else { throw cutShort(language) }
        return buffer
    }

    private func cutShort(_ language: Language) -> DeskError {
        DeskError(
            status: .badRequest, heading: language.text("Something went wrong"),
            detail: language.text("The form did not arrive in one piece, so nothing was saved. Send it again."))
    }

    private func tooLong(_ language: Language) -> DeskError {
        DeskError(
            status: .contentTooLarge, heading: language.text("Something went wrong"),
            detail: language.text(
                "The file is longer than \(DraftStore.maximumMediaBytes >> 20) MB. Make it smaller, then add it again.")
        )
    }

    private func failure(_ error: any Error, _ language: Language) -> DeskError {
        switch error {
        case let error as DeskError: return error
        case is NIOTooManyBytesError:
            return DeskError(
                status: .contentTooLarge, heading: language.text("Something went wrong"),
                detail: language.text("The form is too long."))
        case let error as FileError where error.isFull:
            return DeskError(
                status: .init(code: 507, reasonPhrase: "Insufficient Storage"),
                heading: language.text("Something went wrong"),
                detail: language.text("The disk is full: this was not saved. Make room, then save again."))
        case let error as DocumentFault:
            return DeskError(
                status: .unprocessableContent, heading: language.text("Something went wrong"),
                detail: language.text(
                    "With this change the questionnaire would have a fault, so nothing was saved: \(error.description)")
            )
        case AuthoringError.notFound, HostError.unknownQuestionnaire, HostError.unknownTest: return .notFound(language)
        case AuthoringError.notOurs: return .notOurs(language)
        case AuthoringError.gone:
            let words = AuthoringError.gone(language)
            return DeskError(status: .notFound, heading: words.heading, detail: words.detail)
        default:
            logger.error("\(error)")
            return DeskError(
                status: .internalServerError, heading: language.text("Something went wrong"),
                detail: language.text("The host has trouble with its files. Its log says more."))
        }
    }
}
