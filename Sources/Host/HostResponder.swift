import Disk
import HTTPTypes
import Hummingbird
import Logging
import Model
import NIOCore

/// The protocol of the host: every request comes in here, and every response leaves here.
///
/// `docs/protocol.md` and `docs/openapi.yaml` describe it.
struct HostResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    let questionnaires: QuestionnaireEndpoint
    let tests: TestEndpoint
    let token: AccessToken?
    let logger: Logger

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        var response: Response
        do {
            response = try await answer(request)
        } catch let problem as Problem {
            response = problem.response
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

    private func answer(_ request: Request) async throws -> Response {
        let route = try HostRoute(path: request.uri.path)
        if let token, route?.isPublic != true, !token.isShown(in: request.headers[.authorization]) {
            throw unauthorized(hasToken: request.headers[.authorization] != nil)
        }
        guard let route else { throw Problem.notFound("There is nothing at this address.") }
        guard route.methods.contains(request.method) else {
            var problem = Problem(.methodNotAllowed, "\(request.method) is not a thing to do with this address.")
            problem.headerFields[.allow] = route.methods.map(\.rawValue).joined(separator: ", ")
            throw problem
        }
        var read = HostRequest(
            method: request.method, route: route, query: try RequestQuery(request.uri.query), fields: request.headers)
        if request.method == .put { read.body = try await body(of: request) }
        let complete = read
        // Files are read and synced on a thread that may wait for them.
        return try await offload { try respond(to: complete) }
    }

    private func respond(to request: HostRequest) throws -> Response {
        switch request.route {
        case .service: return try service()
        case .questionnaires: return try questionnaires.list(request)
        case .questionnaire(let id): return try questionnaires.document(id, request)
        case .media(let components): return try questionnaires.media(at: components, request)
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

    /// The whole body of a delivery.
    ///
    /// - Throws: `Problem`, or the error of a connection that broke.
    private func body(of request: Request) async throws -> [UInt8] {
        let fields = request.headers
        if let type = fields[.contentType], !HostResponder.isJSON(type) {
            throw Problem(.unsupportedMediaType, "A test is application/json, and this is “\(type.prefix(80))”.")
        }
        if let coding = fields[.contentEncoding], !["gzip", "identity"].contains(coding.lowercased()) {
            var problem = Problem(.unsupportedMediaType, "A test may be sent as it is or gzipped, in no other coding.")
            problem.headerFields[.acceptEncoding] = "gzip"
            throw problem
        }
        let tooLarge = Problem(.contentTooLarge, "A test may have at most \(TestSubmission.maximumBytes) bytes.")
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
            throw Problem.badRequest("Only \(buffer.readableBytes) of \(length) bytes arrived: send the test again.")
        }
        return Array(buffer.readableBytesView)
    }

    private static func isJSON(_ type: String) -> Bool {
        let name = type.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
        return name == "application/json" || name.hasPrefix("application/") && name.hasSuffix("+json")
    }

    private func unauthorized(hasToken: Bool) -> Problem {
        var problem = Problem(
            .unauthorized, hasToken ? "The token is not the host's." : "The host asks for a token: send one as Bearer.")
        problem.headerFields[.wwwAuthenticate] =
            "Bearer realm=\"quire\"" + (hasToken ? ", error=\"invalid_token\"" : "")
        return problem
    }

    /// What the host's own files or disk are to blame for. The log tells more than the client hears.
    private func failure(_ reason: String, isFull: Bool) -> Response {
        logger.error("\(reason)")
        if isFull {
            let status = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
            return Problem(status, "The host's disk is full: nothing was stored, send it again later.").response
        }
        return Problem(.internalServerError, "The host has trouble with its files: send it again later.").response
    }
}
