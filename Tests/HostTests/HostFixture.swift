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
import ServedApplication
import Simulation
import SystemPackage
import Testing

@testable import Host

/// Where a host keeps its data: the same body runs on both.
enum DataPlace: CaseIterable, Sendable {
    case folder, bucket
}

/// A host on real files in a temporary folder, which goes away with the fixture; or on a bucket in memory.
final class HostFixture: Sendable {
    let root: FilePath
    let clock: ManualClock
    /// The bucket in the place of the data folder.
    let store: MemoryObjectStore?

    var data: FilePath { root.appending("data") }
    var questionnaires: FilePath { root.appending("questionnaires") }

    init(_ place: DataPlace = .folder) throws {
        let clock = ManualClock()
        self.clock = clock
        store = place == .bucket ? MemoryObjectStore(clock: clock) : nil
        root = FilePath(NSTemporaryDirectory()).appending("quire-host-\(TestID.random())")
        try makeFolder(root)
        try makeFolder(questionnaires)
    }

    deinit { try? FileManager.default.removeItem(atPath: root.string) }

    func makeFolder(_ path: FilePath) throws {
        try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    }

    /// Writes a file of the questionnaires' folder. Its time lies in the past, so that one look at it is enough,
    /// unless it is to be as fresh as a real edit.
    func publish(_ name: String, _ text: String, isFresh: Bool = false) throws {
        let path = questionnaires.appending(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path.string))
        if !isFresh { try setTime(of: path, to: clock.now.adding(seconds: -86_400)) }
    }

    func setTime(of path: FilePath, to time: Timestamp) throws {
        let date = Date(timeIntervalSince1970: Double(time.millisecondsSinceEpoch) / 1000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path.string)
    }

    func remove(_ path: FilePath) throws { try FileManager.default.removeItem(atPath: path.string) }

    func bytes(_ path: FilePath) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path.string))) }

    /// The names of the questionnaires' files as they are published, by a folder or a device.
    func published() async throws -> [String] {
        guard let store else { return try names(questionnaires).filter { $0.hasSuffix(".json") } }
        let log = QuestionnaireLog(HostBucket(store))
        _ = try await offload { try log.follow() }
        return log.currentFiles.compactMap { $0.questionnaire == nil ? nil : $0.file }
    }

    /// A questionnaire's file as it is published, with its key.
    func file(_ name: String) async throws -> [UInt8] {
        guard let store else { return try bytes(questionnaires.appending(name)) }
        let log = QuestionnaireLog(HostBucket(store))
        return try await offload {
            try log.follow()
            let content = try #require(log.currentFiles.first { $0.file == name }?.content)
            return try log.bytes(content, maximumBytes: QuestionnaireCatalog.maximumFileBytes)
        }
    }

    func names(_ folder: FilePath) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.string).sorted()
    }

    func configuration(token: AccessToken? = nil, cacheControl: String = "max-age=60") -> HostConfiguration {
        var configuration = HostConfiguration(
            data: data, questionnaires: questionnaires, listen: HostAndPort(host: "127.0.0.1", port: 0), token: token,
            cacheControl: cacheControl)
        configuration.bucket = store
        return configuration
    }

    /// Runs a host of this configuration, and the body with a client of it.
    @discardableResult
    func serve<Value: Sendable>(
        _ configuration: HostConfiguration, _ way: Way = .memory,
        _ body: @Sendable (any TestClientProtocol) async throws -> Value
    ) async throws -> Value {
        let host = ReferenceHost(configuration, clock: clock, logger: HostFixture.silence)
        let opened = try await offload { try host.open() }
        defer { opened.lock?.release() }
        return try await host.application(opened.responder).serve(way, body)
    }

    /// The configuration of one of the hosts that share a bucket.
    func configuration(on store: any ObjectStore, publishes: Bool = true) -> HostConfiguration {
        var configuration = configuration()
        configuration.bucket = store
        if !publishes { configuration.questionnaires = nil }
        return configuration
    }

    /// Runs two hosts, and the body with a client of each.
    func serve(
        _ one: HostConfiguration, and other: HostConfiguration,
        _ body: @Sendable (any TestClientProtocol, any TestClientProtocol) async throws -> Void
    ) async throws {
        try await serve(one) { one in try await serve(other) { other in try await body(one, other) } }
    }

    func host(token: AccessToken? = nil, cacheControl: String = "max-age=60") -> ReferenceHost {
        ReferenceHost(
            configuration(token: token, cacheControl: cacheControl), clock: clock, logger: HostFixture.silence)
    }

    /// Runs the host itself and the body with its port, then ends it.
    func run(
        _ configuration: HostConfiguration? = nil, _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let host = ReferenceHost(configuration ?? self.configuration(), clock: clock, logger: HostFixture.silence)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await host.run { number in
                    port.yield(number)
                    port.finish()
                }
            }
            group.addTask {
                guard let number = await ports.first(where: { _ in true }) else { return }
                try await body(number)
            }
            _ = try await group.next()
            group.cancelAll()
        }
    }

    /// Runs a host, and the body with a client of it.
    @discardableResult
    func serve<Value: Sendable>(
        _ way: Way = .memory, token: AccessToken? = nil, cacheControl: String = "max-age=60",
        _ body: @Sendable (any TestClientProtocol) async throws -> Value
    ) async throws -> Value {
        try await serve(configuration(token: token, cacheControl: cacheControl), way, body)
    }

    /// What a teacher at the same machine works with.
    func archive() throws -> TestArchive {
        try ReferenceHost.openArchive(configuration(), clock: clock, logger: HostFixture.silence)
    }

    static let silence = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension TestClientProtocol {
    func get(_ uri: String, _ fields: HTTPFields = [:]) async throws -> TestResponse {
        try await executeRequest(uri: uri, method: .get, headers: fields, body: nil)
    }

    func head(_ uri: String, _ fields: HTTPFields = [:]) async throws -> TestResponse {
        try await executeRequest(uri: uri, method: .head, headers: fields, body: nil)
    }

    func put(_ uri: String, _ bytes: [UInt8], _ fields: HTTPFields = [:]) async throws -> TestResponse {
        try await executeRequest(uri: uri, method: .put, headers: fields, body: ByteBuffer(bytes: bytes))
    }

    /// Delivers a test.
    func deliver(_ test: TestFile, _ fields: HTTPFields = [:]) async throws -> TestResponse {
        try await put("/v1/tests/\(test.id)", test.bytes, fields)
    }
}

extension TestResponse {
    var bytes: [UInt8] { Array(body.readableBytesView) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    func problem() throws -> ProblemDocument {
        #expect(headers[.contentType] == "application/problem+json")
        let problem: ProblemDocument = try decoded()
        #expect(problem.status == status.code)
        #expect(!problem.title.isEmpty)
        #expect(problem.detail.hasSuffix("."))
        return problem
    }
}

/// A problem document as a client reads it.
struct ProblemDocument: Decodable {
    var type: String
    var title: String
    var status: Int
    var detail: String
    var field: String?
}

/// The list as a client reads it.
struct ListDocument: Decodable {
    struct Item: Decodable {
        var id: String
        var title: String
        var description: String
        var locale: String?
        var updatedAt: String?
        var questionCount: Int
        var sizeBytes: Int
        var digest: String
        var etag: String
        var url: String
        var media: [String]?
    }

    var questionnaires: [Item]
    var next: String?
}

/// A test as a device wrote it.
struct TestFile: Sendable {
    let id: TestID
    let bytes: [UInt8]

    /// - Parameter version: what was published of the questionnaire that the test is taken with.
    init(
        id: TestID = .random(), questionnaire: String = "colours", version: String? = nil, answers: [Answer] = [],
        note: String = ""
    ) throws {
        let taken = version ?? (questionnaire == "colours" ? coloursPublished : questionnaire)
        self.id = id
        var record = TestRecord(
            id: id,
            questionnaire: QuestionnaireReference(
                id: questionnaire, title: "Цвета", digest: Digest(sha256Of: taken.utf8)),
            dateStarted: ManualClock.start, dateFinished: ManualClock.start, answers: answers, deviceId: "device",
            sequence: 1)
        if !note.isEmpty { record.otherFields["note"] = .string(note) }
        bytes = try DocumentCoding.encode(record)
    }

    init(id: TestID, bytes: [UInt8]) {
        self.id = id
        self.bytes = bytes
    }

    var digest: Digest { Digest(sha256Of: bytes) }
}

/// A questionnaire of four kinds of questions, with a key for three of them.
let coloursJSON = """
    {
      "id": "colours",
      "title": "Цвета",
      "description": "Four questions.",
      "locale": "ru",
      "updatedAt": "2026-03-20T18:30:00Z",
      "answerKey": {"sky": "Blue", "name": "Ёж", "count": 7},
      "x-extra": {"kept": [1.0, "\\u0430"]},
      "questions": [
        {"id": "sky", "text": "What colour is the sky?", "options": ["Blue", "Green"],
         "media": [{"path": "media/sky.png", "type": "image/png"}]},
        {"id": "warm", "text": "Which are warm?", "kind": "choices", "options": ["Red", "Orange", "Blue"]},
        {"id": "name", "text": "Who sleeps in winter?", "kind": "text"},
        {"id": "count", "text": "How many in a rainbow?", "kind": "number"},
        {"id": "essay", "text": "What is your favourite?", "kind": "text"}
      ],
      "multiAnswerKey": {"warm": ["Red", "Orange"]}
    }

    """

/// What of it leaves the host.
let coloursPublished = """
    {
      "id": "colours",
      "title": "Цвета",
      "description": "Four questions.",
      "locale": "ru",
      "updatedAt": "2026-03-20T18:30:00Z",
      "x-extra": {"kept": [1.0, "\\u0430"]},
      "questions": [
        {"id": "sky", "text": "What colour is the sky?", "options": ["Blue", "Green"],
         "media": [{"path": "media/sky.png", "type": "image/png"}]},
        {"id": "warm", "text": "Which are warm?", "kind": "choices", "options": ["Red", "Orange", "Blue"]},
        {"id": "name", "text": "Who sleeps in winter?", "kind": "text"},
        {"id": "count", "text": "How many in a rainbow?", "kind": "number"},
        {"id": "essay", "text": "What is your favourite?", "kind": "text"}
      ]
    }

    """

/// A questionnaire of one question.
func questionnaireJSON(id: String, title: String = "Title", members: String = "") -> String {
    """
    {"id": \(quoted(id)), "title": \(quoted(title))\(members), "questions": [{"id": "q1", "text": "?", "options": ["a", "b"]}]}
    """
}

private func quoted(_ text: String) -> String {
    let encoded = try? JSONEncoder().encode(text)
    return encoded.map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
}
