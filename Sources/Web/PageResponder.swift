import CacheStore
import Disk
import HTTPTypes
import Hummingbird
import Logging
import Model
import NIOCore
import OutboxStore
import Quire
import Sync

/// Every request of the page comes in here, and every answer leaves here.
struct PageResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let keeper: Gatekeeper
    let desk: Desk
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
            return desk.screens.message(problem, language).response
        }
    }

    private func admitted(
        _ request: Request, _ cookies: [String: String], _ language: Language
    ) async throws -> PageReply {
        let fields = request.headers
        guard let authority = request.head.authority ?? fields[HTTPField.Name("Host") ?? .accept],
            keeper.allows(authority: authority)
        else {
            throw PageProblem(
                .misdirectedRequest, .notAllowed,
                language.pick(
                    "The page is not known by this name. Use the address that “quire serve” printed.",
                    "Под этим именем страницы нет. Откройте адрес, который напечатал «quire serve»."))
        }
        guard [.get, .head, .post].contains(request.method) else {
            throw PageProblem(
                .methodNotAllowed, .notAllowed,
                language.pick(
                    "The page is read and its forms are sent; \(request.method) does nothing here.",
                    "Страницу читают и отправляют её формы; \(request.method) здесь ничего не делает."))
        }
        let path = request.uri.path.split(separator: "/").map { FormFields.decode(Array($0.utf8), plusIsSpace: false) }
        if let asset = desk.screens.assets.answer(path) { return .response(asset) }
        let isUpload = request.method == .post && Self.isMultipart(fields) && Desk.takesFiles(path)
        let form =
            request.method == .post && !isUpload ? try await self.form(of: request, language) : FormFields("")
        if path == ["open"] { return try door(request, form, language) }
        guard let session = keeper.session(in: cookies) else {
            return desk.screens.door(language, status: .unauthorized)
        }
        let read = PageRequest(
            method: request.method, path: path, query: FormFields(request.uri.query ?? ""), form: form,
            fields: fields, cookies: cookies, language: language, session: session,
            target: request.uri.path + (request.uri.query.map { "?" + $0 } ?? ""))
        if isUpload {
            // Its token is in the content, which is not held: whoever reads it looks.
            guard keeper.allowsOrigin(fields, authority: authority) else { throw PageProblem.notOurs(language) }
            return try await desk.takeFiles(read, request.body) { [keeper] in
                keeper.isFormToken($0, of: session)
            }
        }
        if request.method == .post,
            !keeper.allowsChange(fields, authority: authority, session: session, formToken: form["token"])
        {
            throw PageProblem.notOurs(language)
        }
        return try await desk.answer(read)
    }

    private static func isMultipart(_ fields: HTTPFields) -> Bool {
        fields[.contentType]?.prefix { $0 != ";" }.filter { $0 != " " }.lowercased() == "multipart/form-data"
    }

    private func form(of request: Request, _ language: Language) async throws -> FormFields {
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
        guard type == "application/x-www-form-urlencoded" else {
            throw PageProblem(.unsupportedMediaType, .notAllowed, "application/x-www-form-urlencoded")
        }
        do {
            let buffer = try await request.body.collect(upTo: Self.maximumFormBytes)
            return FormFields(String(buffer: buffer))
        } catch is NIOTooManyBytesError {
            throw PageProblem(
                .contentTooLarge, .notAllowed,
                language.pick("That is more than a form may hold.", "Это больше, чем помещается в форму."))
        }
    }

    /// A one-time code comes by the address that was printed, or is typed in.
    private func door(_ request: Request, _ form: FormFields, _ language: Language) throws -> PageReply {
        let code = request.method == .post ? form["code"] : FormFields(request.uri.query ?? "")["code"]
        guard let code else { return desk.screens.door(language, status: .ok) }
        switch keeper.exchange(code) {
        case .accepted(let session):
            desk.tellNextCode()
            return .seeOther("/", cookies: [keeper.setCookie(session)])
        case .wrong:
            // Who was let in before and opens the printed address again wants the page, not a lecture.
            if keeper.session(in: PageRequest.cookies(request.headers)) != nil { return .seeOther("/") }
            return desk.screens.door(language, status: .forbidden, isWrong: true)
        }
    }

    static func problem(_ error: any Error, _ language: Language) -> PageProblem {
        switch error {
        case let problem as PageProblem: return problem
        case let error as OutboxError:
            if case .notFound = error {
                return PageProblem(.notFound, .nothingHere, Words.text(.testGone, language))
            }
            return PageProblem(.conflict, .didNotWork, error.description)
        case let error as StoreError: return PageProblem(.serviceUnavailable, .didNotWork, error.description)
        case let error as AnswerFault: return PageProblem(.unprocessableContent, .didNotWork, error.description)
        case let error as FileError where error.isFull:
            let status = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
            return PageProblem(
                status, .didNotWork,
                language.pick(
                    "The disk is full: this was not saved. Make room, then save again.",
                    "Диск заполнен: это не сохранено. Освободите место и сохраните ещё раз."))
        default:
            return PageProblem(.internalServerError, .didNotWork, String(describing: error))
        }
    }
}
