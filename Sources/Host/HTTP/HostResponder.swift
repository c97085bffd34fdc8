import Disk
import Dispatch
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import Model
import NIOCore
import Networking
import WireFormat

/// The protocol of the host: every request enters here, and every response leaves here.
///
/// `docs/protocol.md` and `docs/openapi.yaml` describe it.
struct HostResponder: HTTPResponder {
    typealias Context = HostContext

    let questionnaires: QuestionnaireEndpoint
    let tests: TestEndpoint
    let changes: ChangeEndpoint
    let media: MediaEndpoint
    let names: OwnNames
    let rateLimit: RateLimit?
    let access: AccessControl
    let keyRing: KeyRing
    let keys: KeyEndpoint
    let people: PeopleEndpoint
    let progress: ProgressEndpoint
    let logger: Logger
    var pages: HostPages?
    private let lists = ListQueue()

    func respond(to request: Request, context: HostContext) async throws -> Response {
        var response: Response
        do {
            response = try await answer(request.asking(on: context.channel), from: context.client ?? "")
        } catch let problem as Problem {
            response = problem.response
        } catch let fault as UploadFault {
            response = Problem(fault, maximumBytes: media.archive.uploads.maximumBytes).response
        } catch let error as FileError {
            response = failure(error.description, isFull: error.isFull)
        } catch let error as HostError {
            response = failure(error.description, isFull: false)
        } catch let error as EncodingError {
            response = failure("\(error)", isFull: false)
        } catch let error as GzipFault {
            response = failure(error.description, isFull: false)
        }
        logger.info("\(request.method) \(request.uri.path) \(response.status.code)")
        return request.method == .head ? response.withoutContent : response
    }

    private func answer(_ request: Request, from client: String) async throws -> Response {
        // HTTP/1.0 knows no such field, and no browser speaks it.
        if let authority = request.head.authority, !names.contains(authority) {
            var problem = Problem(
                .misdirectedRequest,
                "This host does not answer to “\(authority.prefix(80))”: use its own address, or start it with --name.")
            // Without the protocol's mark: a request for another name has not reached its host, and the submission
            // waits.
            problem.document.type = "about:blank"
            throw problem
        }
        if let seconds = rateLimit?.secondsToWait(client) {
            var problem = Problem(
                .tooManyRequests, "There are too many requests from here: go on in \(seconds) s.")
            problem.headerFields[.retryAfter] = String(seconds)
            throw problem
        }
        if let pages, pages.areAt(request.uri.path) { return await pages.respond(request, client) }
        let route: APIPath?
        do throws(APIPath.Malformed) {
            route = try APIPath(request.uri.path)
        } catch {
            throw Problem.badRequest("The path is not percent-encoded UTF-8.")
        }
        let authorization = request.headers[.authorization]
        let known = try await keyRing.current()
        var caller = Caller(role: .taker)
        if route != .service {
            caller = try access.caller(needing: .taker, authorization, from: client, known)
        }
        guard let route else { throw Problem.notFound("There is nothing at this address.") }
        guard route.methods.contains(request.method) else {
            var problem = Problem(.methodNotAllowed, "\(request.method) is not a thing to do with this address.")
            problem.headerFields[.allow] = route.methods.map(\.rawValue).joined(separator: ", ")
            throw problem
        }
        var read = HostRequest(
            method: request.method, route: route, query: try RequestQuery(request.uri.query), fields: request.headers)
        if let minimum = read.minimumRole, caller.role < minimum {
            caller = try access.caller(needing: minimum, authorization, from: client, known)
        }
        read.caller = caller
        read.keys = known
        // Too long to be held in memory: `holdsContent` has the same.
        switch (route, request.method) {
        case (.attachment(let test, let id), .put): return try await media.create(test, id, request, caller)
        case (.mediaContent(let path), .put): return try await media.create(at: path, request)
        case (.upload(let id), .patch): return try await media.append(id, request, caller)
        default: break
        }
        if request.method == .put {
            var isFavorite = false
            if case .favorite = route { isFavorite = true }
            // Setting a favourite needs no content, and so no type of one.
            read.body = try await body(of: request, mayBeEmpty: isFavorite)
        }
        let complete = read
        // Files are read and synced on a thread that may wait for them.
        let response = try await offload(on: complete.isForList ? lists.queue : nil) {
            try respond(to: complete)
        }
        if case .test = route, request.method == .put { lists.soon(readForLists) }
        return response
    }

    /// Whether the content of a request is held in memory until it is answered; a file's goes to the disk as it comes.
    @Sendable static func holdsContent(_ request: RequestLine) -> Bool {
        let route = try? APIPath(String(request.target.prefix { $0 != "?" }))
        switch (route, request.method) {
        case (.attachment, "PUT"), (.mediaContent, "PUT"), (.upload, "PATCH"): return false
        default: return true
        }
    }

    /// Keeps the source of lists for the next start. Blocks.
    func keepLists() { lists.queue.sync { tests.archive.lists.keepIndex() } }

    /// Reads the source of lists before the first request for one.
    func prepareLists() { lists.queue.async(execute: readForLists) }

    @Sendable private func readForLists() {
        do {
            try tests.archive.lists.prepareLists()
        } catch {
            // A request for the list reports it.
            logger.warning("\(error)")
        }
    }

    private func respond(to request: HostRequest) throws -> Response {
        switch request.route {
        case .service: return try service()
        case .questionnaires: return try questionnaires.list(request)
        case .questionnaire(let id):
            let isRead = request.method == .get || request.method == .head
            return isRead ? try questionnaires.document(id, request) : try changes.write(id, request)
        case .media(let components): return try questionnaires.media(at: components, request)
        case .mediaContent(let path): return try questionnaires.media(at: MediaPath(path).components, request)
        case .changes: return try changes.list(request)
        case .favorites: return try changes.favoriteList(request)
        case .favorite(let id): return try changes.favorite(id, request)
        case .attachments(let test): return try media.list(test, request)
        case .attachment(let test, let id): return try media.content(test, id, request)
        case .upload(let id):
            return try request.method == .delete ? media.cancel(id, request.caller) : media.state(id, request.caller)
        case .receipts: return try tests.receipts(request)
        case .accessKeys: return try keys.list(request)
        case .accessSelf: return try keys.own(request)
        case .people: return try people.list(request)
        case .progress(let sender): return try progress.put(sender, request)
        case .tests: return try tests.list(request)
        case .test(let id): return request.method == .put ? try tests.put(id, request) : try tests.get(id, request)
        }
    }

    private struct Service: Encodable {
        var service = "quire"
        var version = 1
    }

    private func service() throws -> Response {
        var fields = HTTPFields()
        fields[.contentType] = "application/json"
        // It is asked to learn whether the host is reachable now.
        fields[.cacheControl] = "no-store"
        return Response(status: .ok, headers: fields, bytes: try DocumentCoding.encodeLine(Service()))
    }

    /// The complete body of a request.
    ///
    /// - Throws: `Problem`, or the error of a connection that broke.
    private func body(of request: Request, mayBeEmpty: Bool) async throws -> [UInt8] {
        let fields = request.headers
        if let type = fields[.contentType], !HostResponder.isJSON(type), !mayBeEmpty {
            throw Problem(.unsupportedMediaType, "What is sent is application/json, and this is “\(type.prefix(80))”.")
        }
        if let coding = fields[.contentEncoding], !["gzip", "identity"].contains(coding.lowercased()) {
            var problem = Problem(.unsupportedMediaType, "It may be sent as it is or gzipped, in no other coding.")
            problem.headerFields[.acceptEncoding] = "gzip"
            throw problem
        }
        let tooLarge = Problem(.contentTooLarge, "It may have at most \(TestSubmission.maximumBytes) bytes.")
        let length = fields[.contentLength].flatMap { Int($0) }
        if let length, length > TestSubmission.maximumBytes { throw tooLarge }
        let buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: TestSubmission.maximumBytes)
        } catch is NIOTooManyBytesError {
            throw tooLarge
        }
        // A connection that breaks looks like the end of the body.
        if let length, buffer.readableBytes != length {
            throw Problem(
                .badRequest, kind: "digest-mismatch", title: "The content is not what was sent",
                detail: "Only \(buffer.readableBytes) of \(length) bytes arrived: send them again.")
        }
        return Array(buffer.readableBytesView)
    }

    private static func isJSON(_ type: String) -> Bool {
        let name = MediaType.name(type)
        return name == "application/json" || name.hasPrefix("application/") && name.hasSuffix("+json")
    }

    /// A fault of the host's own files or disk. The log has more details than the response.
    private func failure(_ reason: String, isFull: Bool) -> Response {
        logger.error("\(reason)")
        if isFull {
            let status = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
            return Problem(status, "The host's disk is full: nothing was stored, send it again later.").response
        }
        return Problem(.internalServerError, "The host has trouble with its files: send it again later.").response
    }
}
