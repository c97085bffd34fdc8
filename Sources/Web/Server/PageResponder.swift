import Authoring
import CacheStore
import Disk
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import Model
import NIOCore
import OutboxStore
import Quire
import Sync
import Wording

/// Every request of the page enters here, and every answer leaves here.
struct PageResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let authenticator: PageAuthenticator
    let router: PageRouter
    let logger: Logger

    /// The longest form: a whole test on one page, its texts percent-encoded.
    static let maximumFormBytes = 12 << 20

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        var response = await answer(request)
        if response.headers[.contentSecurityPolicy] == nil { response.headers.protect() }
        if response.status == .methodNotAllowed { response.headers[.allow] = "GET, HEAD, POST" }
        logger.info("\(request.method) \(request.uri.path) \(response.status.code)")
        guard request.method == .head else { return response }
        response.body = .init(contentLength: response.body.contentLength) { try await $0.finish(nil) }
        return response
    }

    private func answer(_ request: Request) async -> Response {
        let cookies = PageRequest.cookies(request.headers)
        let language = PageRequest.language(cookies: cookies, fields: request.headers)
        do {
            return try await admitted(request, cookies, language).response
        } catch {
            let problem = Self.problem(error, language)
            if problem.status == .internalServerError { logger.error("\(error)") }
            let wantsJSON = PageRequest.wantsJSON(request.headers)
            if wantsJSON, let reply = try? PageReply.encoded(["problem": problem.detail], status: problem.status) {
                return reply.response
            }
            return router.screens.message(problem, language).response
        }
    }

    private func admitted(
        _ request: Request, _ cookies: [String: String], _ language: Language
    ) async throws -> PageReply {
        let fields = request.headers
        guard let authority = request.head.authority ?? fields[HTTPField.Name("Host") ?? .accept],
            authenticator.allows(authority: authority)
        else {
            throw PageProblem(
                .misdirectedRequest, .notAllowed,
                language.text("The page has another address. Use the one that “quire serve” printed."))
        }
        guard [.get, .head, .post].contains(request.method) else {
            throw PageProblem(
                .methodNotAllowed, .notAllowed,
                language.text("The page is read and its forms are sent; \(request.method) does nothing here."))
        }
        let path = request.uri.path.split(separator: "/").map { FormFields.decode(Array($0.utf8), plusIsSpace: false) }
        if fields[.serviceWorker] != nil { return .response(Self.workerThatEnds) }
        if let asset = router.screens.assets.answer(path) { return .response(asset) }
        let query = FormFields(request.uri.query ?? "")
        let target = request.uri.path + (request.uri.query.map { "?" + $0 } ?? "")
        let visitor = authenticator.visitor(with: cookies)
        if path.first == "open", path.count <= 2 {
            return try await door(request, path, query, authority, visitor, language)
        }
        let session: PageAuthenticator.Session
        switch visitor {
        case .known(let known): session = known
        case .former(let former):
            return try await comeBack(former, path, target, query, cookies, language)
        case .stranger:
            if let entered = authenticator.enter(with: cookies) {
                router.tellNextCode()
                session = entered
                break
            }
            let isVisit = request.method != .post && PageAuthenticator.isVisitFromElsewhere(fields)
            return router.screens.door(
                isVisit ? .step(to: target) : .code(isWrong: false), language, status: .unauthorized)
        }
        authenticator.note(session, agent: fields[.userAgent], now: router.storeContext.store.clock.now)
        if path.first == PageAuthenticator.returnPath { return .temporaryRedirect(Self.target(of: query)) }
        let isUpload = request.method == .post && Self.isMultipart(fields) && PageRouter.takesFiles(path)
        var form = FormFields("")
        var file: UploadedFile?
        if request.method == .post, Self.isMultipart(fields), PageRouter.takesAuthoredFiles(path) {
            // Nothing is read of a form from elsewhere.
            guard authenticator.allowsOrigin(fields, authority: authority) else { throw PageProblem.notOurs(language) }
            (form, file) = try await AuthoredUpload(language: language).read(request)
        } else if request.method == .post, !isUpload {
            form = try await self.form(of: request, language)
        }
        let read = PageRequest(
            method: request.method, path: path, query: query, form: form, file: file, fields: fields, cookies: cookies,
            language: language, session: session, authenticator: authenticator, target: target)
        if isUpload {
            // Its token is in the content, which is not buffered: the code that reads it checks it.
            guard authenticator.allowsOrigin(fields, authority: authority) else { throw PageProblem.notOurs(language) }
            return try await router.takeFiles(read, request.body) { [authenticator] in
                authenticator.isFormToken($0, of: session)
            }
        }
        if request.method == .post,
            !authenticator.allowsChange(fields, authority: authority, session: session, formToken: form["token"])
        {
            throw PageProblem.notOurs(language)
        }
        return try await router.answer(read)
    }

    private static func isMultipart(_ fields: HTTPFields) -> Bool { isMultipart(fields[.contentType]) }

    static func isMultipart(_ contentType: String?) -> Bool {
        contentType.map(MediaType.name) == "multipart/form-data"
    }

    private func form(of request: Request, _ language: Language) async throws -> FormFields {
        let type = request.headers[.contentType].map(MediaType.name)
        guard type == "application/x-www-form-urlencoded" else {
            throw PageProblem(.unsupportedMediaType, .notAllowed, "application/x-www-form-urlencoded")
        }
        do {
            let buffer = try await request.body.collect(upTo: Self.maximumFormBytes)
            return FormFields(String(buffer: buffer))
        } catch is NIOTooManyBytesError {
            throw PageProblem(
                .contentTooLarge, .notAllowed,
                language.text("The form is too large."))
        }
    }

    /// Exchanges the one-time code, from the printed address or typed in.
    ///
    /// Only a form of this page uses it up, or the cookie that a program without forms gets with the right code: previews,
    /// prefetches and other sites ask with GET and HEAD.
    private func door(
        _ request: Request, _ path: [String], _ query: FormFields, _ authority: String,
        _ visitor: PageAuthenticator.Visitor,
        _ language: Language
    ) async throws -> PageReply {
        let isPost = request.method == .post
        if isPost, !authenticator.allowsOrigin(request.headers, authority: authority) {
            throw PageProblem.notOurs(language)
        }
        let given = isPost ? try await form(of: request, language)["code"] : path.count == 2 ? path[1] : query["code"]
        guard let given else { return router.screens.door(.code(isWrong: false), language, status: .ok) }
        // A browser with access that opens the printed address again: the code is left for another one.
        if case .known = visitor { return .seeOther("/") }
        guard isPost else {
            guard authenticator.isCode(given) else {
                // With a cookie the browser would have access; a link on another site leaves it behind.
                let isVisit = PageAuthenticator.isVisitFromElsewhere(request.headers)
                return isVisit
                    ? router.screens.door(.step(to: "/"), language, status: .unauthorized)
                    : router.screens.door(.code(isWrong: true), language, status: .forbidden)
            }
            if path.count == 1 { return .seeOther("/open/" + PercentEncoding.encode(given)) }
            let isProgram = request.method == .get && PageAuthenticator.isProgram(request.headers)
            return router.screens.door(
                .enter(code: given), language, status: .ok, cookies: isProgram ? [authenticator.offer()] : [])
        }
        switch authenticator.exchange(given) {
        case .accepted(let session):
            router.tellNextCode()
            return .seeOther("/", cookies: authenticator.setCookies(session))
        case .wrong: return router.screens.door(.code(isWrong: true), language, status: .forbidden)
        }
    }

    /// Redirects a browser of an earlier run to the path where it proves itself, and from there to its original target.
    /// The redirects keep method and content (RFC 9110, section 15.4.8), so that its form arrives.
    private func comeBack(
        _ former: PageAuthenticator.Former, _ path: [String], _ target: String, _ query: FormFields,
        _ cookies: [String: String],
        _ language: Language
    ) async throws -> PageReply {
        if path.count == 2, path[0] == PageAuthenticator.returnPath {
            guard let set = authenticator.comeBack(former, to: path[1], with: cookies) else {
                return router.screens.door(.code(isWrong: false), language, status: .unauthorized)
            }
            return .temporaryRedirect(Self.target(of: query), cookies: set)
        }
        let store = router.storeContext.store
        let place = try? await offload { [authenticator] in
            try authenticator.returnPath(
                of: former, isClosed: store.pageAccess.isClosed, spend: store.pageAccess.spendReturn)
        }
        guard let place = place ?? nil else {
            return router.screens.door(.code(isWrong: false), language, status: .unauthorized)
        }
        return .temporaryRedirect(place + "?to=" + PercentEncoding.encode(target))
    }

    private static func target(of query: FormFields) -> String {
        guard let target = query["to"], PageRequest.isLocal(target),
            !target.hasPrefix("/\(PageAuthenticator.returnPath)/")
        else { return "/" }
        return target
    }

    /// The answer to a browser's check for a new version of a service worker. The page has none: one that a foreign
    /// program installed while it listened on the port would otherwise intercept the page's requests for good.
    private static let workerThatEnds: Response = {
        var fields = HTTPFields()
        fields[.contentType] = "text/javascript; charset=utf-8"
        fields[.cacheControl] = "no-store"
        let script = """
            self.addEventListener('install', () => self.skipWaiting());
            self.addEventListener('activate', event => event.waitUntil((async () => {
              const pages = await self.clients.matchAll({ type: 'window' });
              await self.registration.unregister();
              for (const page of pages) page.navigate(page.url).catch(() => {});
            })()));

            """
        return Response(status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(string: script)))
    }()

    static func problem(_ error: any Error, _ language: Language) -> PageProblem {
        switch error {
        case let problem as PageProblem: return problem
        case AuthoringError.notFound: return .notFound(language)
        case AuthoringError.notOurs: return .notOurs(language)
        case AuthoringError.gone: return PageProblem(.notFound, .nothingHere, AuthoringError.gone(language).detail)
        case let fault as DocumentFault:
            return PageProblem(
                .unprocessableContent, .didNotWork,
                language.text(
                    "With this change the questionnaire would have a fault, so nothing was saved: \(fault.description)")
            )
        case let error as OutboxError:
            if case .notFound = error {
                return PageProblem(.notFound, .nothingHere, Words.text(.testGone, language))
            }
            return PageProblem(.conflict, .didNotWork, error.description)
        case let error as StoreError: return PageProblem(.serviceUnavailable, .didNotWork, error.description)
        case let error as OtherPersonsTest: return PageProblem(.forbidden, .notAllowed, error.description)
        case let error as AnswerFault: return PageProblem(.unprocessableContent, .didNotWork, error.description)
        case let error as FileError where error.isFull:
            let status = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
            return PageProblem(
                status, .didNotWork,
                language.text("The disk is full: this was not saved. Make room, then save again."))
        default:
            return PageProblem(.internalServerError, .didNotWork, String(describing: error))
        }
    }
}
