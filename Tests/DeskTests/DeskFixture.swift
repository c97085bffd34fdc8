import AuthorDrafts
import Disk
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemory
import Logging
import Model
import NIOCore
import ObjectStores
import Simulation
import Synchronization
import SystemPackage
import Testing
import WireFormat

@testable import Desk
@testable import Host

/// Where a host with a desk keeps its data: the same test runs on each.
enum DeskPlace: CaseIterable, Sendable {
    case folder, bucket
    /// Two hosts on one bucket, which answer by turns.
    case twoHosts

    /// What one of several hosts publishes is shown by the others a moment later.
    static let ofOneHost: [DeskPlace] = [.folder, .bucket]
}

/// A host with a desk, on real files in a temporary folder, which goes away with the fixture; or on a bucket in memory.
final class DeskFixture: Sendable {
    let root: FilePath
    let clock = ManualClock()
    let place: DeskPlace
    /// The bucket in the place of the data folder.
    let store: MemoryObjectStore?

    var data: FilePath { root.appending("data") }
    private var questionnaires: FilePath { root.appending("questionnaires") }

    static let exam = """
        {"id": "exam", "title": "Экзамен <b>7б</b>", "answerKey": {"q1": "Paris"}, "questions": [
         {"id": "q1", "text": "Capital of France?", "options": ["Paris", "London"]},
         {"id": "essay", "text": "Why?", "kind": "text", "points": 2},
         {"id": "why/not", "text": "And why not?", "kind": "text"}]}
        """

    init(_ place: DeskPlace = .folder) throws {
        self.place = place
        store = place == .folder ? nil : MemoryObjectStore(clock: clock)
        root = FilePath(NSTemporaryDirectory()).appending("quire-desk-\(TestID.random())")
        try FileManager.default.createDirectory(atPath: questionnaires.string, withIntermediateDirectories: true)
        try Data(Self.exam.utf8).write(to: URL(fileURLWithPath: questionnaires.appending("exam.json").string))
    }

    deinit { try? FileManager.default.removeItem(atPath: root.string) }

    /// A file among the host's data, such as one that a test names.
    func put(_ path: String, _ bytes: [UInt8]) async throws {
        if let store {
            _ = try await store.putIfAbsent(try #require(ObjectName(path)), bytes)
            return
        }
        let file = data.appending(path)
        try FileManager.default.createDirectory(
            atPath: file.removingLastComponent().string, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: file.string))
    }

    func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: data.appending(path).string) }

    private func keys() throws -> KeyStore {
        try store.map { KeyStore(sharedIn: $0, clock: clock) } ?? KeyStore(making: data, clock: clock)
    }

    func classList(_ csv: String) async throws {
        try await offload { [self] in
            let people = PeopleStore(keys: try keys())
            try people.apply(try people.plan(ClassListFile(Array(csv.utf8), named: "class.csv"), keepsMissing: false))
        }
    }

    /// Replaces the questionnaire's file.
    func publish(_ exam: String) throws {
        try Data(exam.utf8).write(to: URL(fileURLWithPath: questionnaires.appending("exam.json").string))
    }

    private func configuration(isLoopback: Bool = true, openToken: String? = nil) -> HostConfiguration {
        var configuration = HostConfiguration(
            data: data, questionnaires: questionnaires,
            listen: HostAndPort(host: isLoopback ? "127.0.0.1" : "0.0.0.0", port: 0),
            token: openToken.flatMap { AccessToken($0) })
        configuration.isOpen = openToken != nil
        configuration.bucket = store
        return configuration
    }

    /// - Parameter openToken: the one token of a host that is open to everyone who has it.
    func serve(
        isLoopback: Bool = true, openToken: String? = nil,
        _ body: @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let configuration = configuration(isLoopback: isLoopback, openToken: openToken)
        let host = ReferenceHost(configuration, clock: clock, logger: Self.silence) {
            DeskPages.pages($0, logger: Self.silence)
        }
        let opened = try await offload { try host.open() }
        defer { withExtendedLifetime(opened.lock) {} }
        guard place == .twoHosts else {
            try await host.application(opened.responder).test(.router, body)
            return
        }
        let other = try await offload { try host.open() }
        try await host.application(opened.responder).test(.router) { one in
            try await host.application(other.responder).test(.router) { other in
                try await body(AlternatingClient([one, other]))
            }
        }
    }

    /// Does something with what a running host gives to its pages.
    func withServices<Result: Sendable>(
        _ body: @escaping @Sendable (HostServices) throws -> Result
    ) async throws -> Result {
        let given = Mutex<HostServices?>(nil)
        let host = ReferenceHost(configuration(), clock: clock, logger: Self.silence) { services in
            given.withLock { $0 = services }
            return DeskPages.pages(services, logger: Self.silence)
        }
        let opened = try await offload { try host.open() }
        defer { withExtendedLifetime(opened.lock) {} }
        let services = try #require(given.withLock { $0 })
        return try await offload { try body(services) }
    }

    /// Replaces the questionnaire's file, as its author would.
    func replaceExam(_ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: questionnaires.appending("exam.json").string))
    }

    /// Does something with what a teacher's command works with.
    func archive<Result: Sendable>(_ body: @escaping @Sendable (TestArchive) throws -> Result) async throws -> Result {
        try await offload { [self] in
            try body(try ReferenceHost.openArchive(configuration(), clock: clock, logger: Self.silence))
        }
    }

    func handedIn(
        _ id: TestID
    ) async throws -> (record: TestRecord, receipt: Receipt, version: PublishedQuestionnaire?)? {
        try await archive { try $0.handedIn(id) }
    }

    func history(of id: TestID) async throws -> [ReceivedTests.FormerReceipt] {
        try await archive { try $0.received.history(of: id) }
    }

    func rate(_ id: TestID, _ rating: TeacherRating) async throws {
        _ = try await archive { try $0.ratings.rate(id, rating) }
    }

    /// The exam as it is published.
    func published() async throws -> (entry: CatalogEntry, published: PublishedQuestionnaire)? {
        try await archive { try $0.catalog.document(id: "exam").map { ($0.entry, $0.published) } }
    }

    func media(_ path: MediaPath) async throws -> MediaFile? { try await archive { try $0.catalog.media(path) } }

    func drafts() async throws -> [AuthorDraft] {
        try await archive { [clock] in try DraftStore(of: $0, clock: clock).all() }
    }

    func key(_ role: AccessRole, label: String? = nil) async throws -> (id: String, text: String) {
        try await offload { [self] in
            let (key, text) = try keys().add(role, label: label)
            return (key.id, text)
        }
    }

    func revoke(_ key: String) async throws { try await offload { [self] in try keys().revoke(key) } }

    /// Hands a test in, beside the running host.
    @discardableResult
    func deliver(
        person: String?, _ answers: [String: String], files: [Model.Attachment] = [], id: TestID = .random(),
        parent: TestID? = nil, group: String? = nil, of exam: String = DeskFixture.exam
    ) async throws -> TestID {
        let content = try PublishedQuestionnaire(json: Array(exam.utf8))
        var record = TestRecord(
            id: id, questionnaire: QuestionnaireReference(id: "exam", title: "Экзамен", digest: content.digest),
            dateStarted: clock.now, dateFinished: clock.now,
            answers: answers.map { Answer(questionId: $0.key, value: .one($0.value)) }, attachments: files,
            deviceId: "device", sequence: 1)
        record.parent = parent
        record.person = person.map { Person(id: $0, name: $0, group: group) }
        let bytes = try DocumentCoding.encode(record)
        try await offload { [self] in
            let archive = try ReferenceHost.makeArchive(configuration(), clock: clock, logger: Self.silence)
            _ = try archive.store(try TestSubmission(bytes, id: id))
        }
        clock.advance(by: .seconds(1))
        return id
    }

    /// One test of each person, in the order of their ids.
    func deliver(_ people: [String], _ answers: (String) -> [String: String]) async throws -> [TestID] {
        var ids: [TestID] = []
        for person in people { ids.append(try await deliver(person: person, answers(person))) }
        return ids.sorted()
    }

    static let silence = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

/// A client whose requests go to several hosts by turns, as a load balancer sends them.
final class AlternatingClient: TestClientProtocol {
    private let clients: [any TestClientProtocol]
    private let next = Mutex(0)

    init(_ clients: [any TestClientProtocol]) { self.clients = clients }

    var port: Int? { nil }

    func executeRequest(
        uri: String, method: HTTPRequest.Method, headers: HTTPFields, body: ByteBuffer?
    ) async throws -> TestResponse {
        let place = next.withLock { next in
            defer { next += 1 }
            return next % clients.count
        }
        return try await clients[place].executeRequest(uri: uri, method: method, headers: headers, body: body)
    }
}

/// A browser at the desk: it keeps its cookie, and sends forms as browsers do.
struct DeskBrowser {
    let client: any TestClientProtocol
    var cookie: String?

    static let authority = "localhost"

    init(_ client: any TestClientProtocol) { self.client = client }

    /// Logs in with a key.
    init(_ client: any TestClientProtocol, key: String, name: String = "") async throws {
        self.client = client
        let reply = try await post("/desk/login", ["key": key, "name": name])
        guard reply.status == .seeOther, let set = reply.headers[.setCookie] else { throw NotIn(reply.text) }
        cookie = String(set.prefix { $0 != ";" })
    }

    struct NotIn: Error {
        let page: String
        init(_ page: String) { self.page = page }
    }

    func get(_ path: String, _ fields: HTTPFields = [:]) async throws -> TestResponse {
        var fields = fields
        fields[.cookie] = cookie
        return try await client.executeRequest(uri: path, method: .get, headers: fields, body: nil)
    }

    func page(_ path: String) async throws -> String {
        let reply = try await get(path)
        #expect(reply.status == .ok, "\(path): \(reply.status)")
        return reply.text
    }

    func post(_ path: String, _ form: [String: String], _ fields: HTTPFields = [:]) async throws -> TestResponse {
        var fields = fields
        fields[.cookie] = cookie
        fields[.contentType] = "application/x-www-form-urlencoded"
        let text = form.map { "\($0.key)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        return try await client.executeRequest(
            uri: path, method: .post, headers: fields, body: ByteBuffer(string: text))
    }

    /// Sends a form with the token and the version of a page.
    func send(_ path: String, to action: String? = nil, _ fields: [String: String]) async throws -> TestResponse {
        let page = try await page(path)
        let form = try Self.hidden(in: page).merging(fields) { $1 }
        return try await post(action ?? path, form)
    }

    /// The token of a page's forms, and the version of the draft that it shows.
    static func hidden(in page: String) throws -> [String: String] {
        let token = try #require(page.firstMatch(of: /name="token" value="([^"]*)"/)).output.1
        let version = page.firstMatch(of: /name="version" value="([^"]*)"/)?.output.1 ?? ""
        return ["token": String(token), "version": String(version)]
    }

    /// Where a reply leads.
    static func location(_ reply: TestResponse) throws -> String {
        #expect(reply.status == .seeOther, "\(reply.text)")
        return try #require(reply.headers[.location])
    }

    /// A draft of the published exam.
    func draftOfExam() async throws -> String {
        try Self.location(try await send("/desk/", to: "/desk/write/of", ["questionnaire": "exam"]))
    }

    /// The hidden fields of the form with an action, as they stand in a page.
    static func form(_ action: String, in page: String) throws -> [String: String] {
        let start = try #require(page.range(of: "action=\"\(action)\""), "no form for \(action) in \(page)")
        var fields: [String: String] = [:]
        let rest = page[start.upperBound...]
        let form = rest[..<(rest.range(of: "</form>")?.lowerBound ?? rest.endIndex)]
        for match in form.matches(of: #/<input type="hidden" name="([\w.]+)" value="([^"]*)">/#) {
            var value = String(match.output.2)
            for (entity, text) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
                value = value.replacing(entity, with: text)
            }
            fields[String(match.output.1)] = value
        }
        return fields
    }
}

extension TestResponse {
    var text: String { String(decoding: Array(body.readableBytesView), as: UTF8.self) }
}

extension String {
    /// A page without the one script of the desk, which is a file.
    var withoutOwnScript: String {
        replacing(/<script src="\/desk\/assets\/[a-z0-9]+\/desk\.js" defer><\/script>/, with: "")
    }
}
