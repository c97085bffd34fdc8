import Disk
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import Model
import Simulation
import Synchronization
import Testing

@testable import Host

/// The warnings of a host.
private final class RecordedWarnings: Sendable {
    private let lines = Mutex<[String]>([])

    var texts: [String] { lines.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(warnings: self) } }

    private struct Handler: LogHandler {
        let warnings: RecordedWarnings
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .warning

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            warnings.lines.withLock { $0.append(event.message.description) }
        }
    }
}

@Suite("The last good version of a file")
struct LastGoodVersionTests {
    private let broken = #"{"id":"a","title":"A" "questions":[]}"#

    private func ids(_ client: any TestClientProtocol) async throws -> [String] {
        let list: ListDocument = try await client.get("/v1/questionnaires").decoded()
        return list.questionnaires.map(\.id)
    }

    @Test("it stays published while the file has a mistake in it, and after a restart, until it is right or deleted")
    func staysPublished() async throws {
        let fixture = try HostFixture()
        let text = questionnaireJSON(id: "a", members: #", "answerKey": {"q1": "b"}"#)
        let published = questionnaireJSON(id: "a")
        try fixture.publish("a.json", text)
        try fixture.publish("b.json", questionnaireJSON(id: "b"))
        let tag = try await fixture.serve { client in
            let first = try await client.get("/v1/questionnaires/a")
            let list = try await client.get("/v1/questionnaires").headers[.eTag]
            try fixture.publish("a.json", broken)
            #expect(try await ids(client) == ["a", "b"])
            #expect(try await client.get("/v1/questionnaires").headers[.eTag] == list)
            let second = try await client.get("/v1/questionnaires/a")
            #expect(second.text == published)
            #expect(second.headers[.eTag] == first.headers[.eTag])
            // It is rated by its key, too.
            let answers = [Answer(questionId: "q1", value: .one("b"))]
            let receipt: Receipt = try await client.deliver(
                try TestFile(questionnaire: "a", version: published, answers: answers)
            )
            .decoded()
            #expect(receipt.evaluation?.score == 1)
            return first.headers[.eTag]
        }
        let warnings = RecordedWarnings()
        let host = ReferenceHost(fixture.configuration(), clock: fixture.clock, logger: warnings.logger)
        let opened = try host.open()
        defer { withExtendedLifetime(opened.lock) {} }
        try await host.application(opened.responder).test(.router) { client in
            let response = try await client.get("/v1/questionnaires/a")
            #expect(response.text == published)
            #expect(response.headers[.eTag] == tag)
            #expect(warnings.texts.count == 1)
            #expect(warnings.texts.first?.hasPrefix(#""a.json" cannot be used: "#) == true)
            #expect(
                warnings.texts.first?.contains("stays published until the file is corrected or deleted") == true)
            try fixture.publish("a.json", questionnaireJSON(id: "a", title: "Corrected"))
            #expect(try await client.get("/v1/questionnaires/a").text.contains("Corrected"))
            try fixture.publish("a.json", "")
            #expect(try await client.get("/v1/questionnaires/a").text.contains("Corrected"))
            try fixture.remove(fixture.questionnaires.appending("a.json"))
            #expect(try await ids(client) == ["b"])
            // A new file has no former version.
            try fixture.publish("a.json", broken)
            #expect(try await ids(client) == ["b"])
            #expect(try await client.get("/v1/questionnaires/a").status == .notFound)
        }
    }

    @Test("a right file with the same id counts before the last good version of another file")
    func renamed() async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", questionnaireJSON(id: "a", title: "Former"))
        try await fixture.serve { client in
            #expect(try await ids(client) == ["a"])
            try fixture.publish("a.json", broken)
            try fixture.publish("z.json", questionnaireJSON(id: "a", title: "New"))
            #expect(try await ids(client) == ["a"])
            #expect(try await client.get("/v1/questionnaires/a").text.contains("New"))
        }
    }

    @Test("a host that was started with another folder says so, and forgets no last good version")
    func otherFolder() async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", questionnaireJSON(id: "a"))
        try await fixture.serve { _ = try await ids($0) }
        var configuration = fixture.configuration()
        configuration.questionnaires = fixture.root.appending("other")
        try fixture.makeFolder(fixture.root.appending("other"))
        let warnings = RecordedWarnings()
        _ = try ReferenceHost(configuration, clock: fixture.clock, logger: warnings.logger).open()
        #expect(warnings.texts.contains { $0.contains("none of them lies in \(fixture.root.appending("other"))") })
        try fixture.publish("a.json", broken)
        let published = try await fixture.serve { try await ids($0) }
        #expect(published == ["a"])
    }

    @Test("who only looks sees what is published and what is wrong, and writes nothing")
    func listing() async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", questionnaireJSON(id: "a"))
        try await fixture.serve { _ = try await ids($0) }
        try fixture.publish("a.json", broken)
        try fixture.publish("c.json", "[]")
        try fixture.publish("d.json", questionnaireJSON(id: "d"))
        try fixture.publish("e.json", questionnaireJSON(id: "d"))
        let before = try fixture.bytes(fixture.data.appending("published.json"))
        let snapshot = try ReferenceHost.openCatalog(
            fixture.configuration(), clock: fixture.clock, logger: HostFixture.silence)
        #expect(snapshot.entries.map(\.id) == ["a", "d"])
        #expect(snapshot.entries.map(\.isFormerVersion) == [true, false])
        #expect(
            snapshot.faults.map(\.consequence) == [
                .formerVersion(id: "a", publishedAt: fixture.clock.now), .leftOut, .shadowed(by: "d.json"),
            ])
        #expect(try fixture.bytes(fixture.data.appending("published.json")) == before)
    }

    @Test("a device may edit it: the key stays, and so does the author's file with the mistake")
    func deviceEdit() async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", questionnaireJSON(id: "a", members: #", "answerKey": {"q1": "b"}"#))
        try await fixture.serve { client in
            let tag = try await client.get("/v1/questionnaires/a").headers[.eTag]
            try fixture.publish("a.json", broken)
            let edited = Array(questionnaireJSON(id: "a", title: "Edited").utf8)
            let response = try await client.put(
                "/v1/questionnaires/a", edited, try changeFields(.random(), ifMatch: tag))
            #expect(response.status == .ok || response.status == .created)
            #expect(try await client.get("/v1/questionnaires/a").text.contains("Edited"))
            let file = try fixture.bytes(fixture.questionnaires.appending("a.json"))
            #expect(String(decoding: file, as: UTF8.self).contains(#""answerKey": {"q1": "b"}"#))
            let former = try fixture.names(fixture.data.appending("former")).map {
                try fixture.bytes(fixture.data.appending("former").appending($0))
            }
            #expect(former.contains(Array(broken.utf8)))
            #expect(former.count == 2)
        }
    }

    @Test("every version that was published is found by its digest, with the key that it had last")
    func versions() throws {
        let fixture = try HostFixture()
        let archive = try ReferenceHost.makeArchive(
            fixture.configuration(), clock: fixture.clock, logger: HostFixture.silence)
        var digests: [Digest] = []
        for (title, key) in [("One", "{\"q1\": \"a\"}"), ("One", "{ \"q1\": \"b\" }"), ("Two", "{\"q1\": \"a\"}")] {
            try fixture.publish("a.json", questionnaireJSON(id: "a", title: title, members: ", \"answerKey\": \(key)"))
            digests.append(try #require(try archive.catalog.document(id: "a")).published.digest)
        }
        #expect(digests[0] == digests[1])
        #expect(try archive.catalog.version(id: "a", digest: digests[0])?.key.answers == ["q1": .one("b")])
        #expect(try archive.catalog.version(id: "a", digest: digests[2])?.key.answers == ["q1": .one("a")])
        #expect(try archive.catalog.version(id: "a", digest: Digest(sha256Of: [])) == nil)
        #expect(try fixture.names(fixture.data.appending("published")).count == 2)
    }
}
