import Disk
import Foundation
import HTTPTypes
import Model
import Remotes
import Sync
import SystemPackage
import Testing

@Suite("A folder as a remote")
struct FolderRemoteTests {
    private func with(_ body: (RemoteFixture) async throws -> Void) async throws {
        try await RemoteFixture.with(.folder, body)
    }

    private func file(_ ground: RemoteFixture, _ path: FilePath) -> String {
        ground.root.appending("stick").pushing(path).string
    }

    @Test(
        "only a file URL of a place on this machine names a folder",
        arguments: ["file://host/a", "file:///", "file:///a?b", "http://a/b", "/media/stick", "file:///a%00b"])
    func addresses(_ url: String) {
        #expect(throws: RemoteAddressError.self) { try FolderRemote(base: url, clock: SystemClock()) }
    }

    @Test("an empty mount point is not taken for the stick")
    func mountPoint() async throws {
        try await with { ground in
            try FileManager.default.removeItem(atPath: file(ground, ExchangeLayout.marker))
            guard case .away(let reason) = ground.remote.presence() else {
                Issue.record("it is taken to be there")
                return
            }
            #expect(reason.contains("plugged in"))
            let test = try RemoteFixture.test()
            await #expect(throws: RemoteFailure.self) {
                try await ground.remote.put(test.id, bytes: test.bytes, digest: test.digest)
            }
        }
    }

    @Test("half a test that a stick was pulled out of is written again")
    func half() async throws {
        try await with { ground in
            let test = try RemoteFixture.test()
            let path = file(ground, ExchangeLayout.test(test.id))
            try Data(test.bytes.prefix(100)).write(to: URL(filePath: path))
            let reply = try await ground.remote.put(test.id, bytes: test.bytes, digest: test.digest)
            #expect(reply.status == 202)
            #expect(try Data(contentsOf: URL(filePath: path)) == Data(test.bytes))
        }
    }

    @Test("a rejection of the host reaches the device, and no longer counts as kept")
    func refusal() async throws {
        try await with { ground in
            let id = TestID.random()
            let bytes = Array("{}".utf8)
            // As a faulty program on another device would leave it.
            try Data(bytes).write(to: URL(filePath: file(ground, ExchangeLayout.test(id))))
            #expect(try await ground.collect()?.refused == [id])
            #expect(try await ground.receipts([id]).kept.isEmpty)
            let reply = try await ground.remote.put(id, bytes: bytes, digest: Digest(sha256Of: bytes))
            #expect(reply.status == 422)
            #expect(String(decoding: reply.body, as: UTF8.self).contains("cannot be read"))
        }
    }

    @Test("a collection repeated changes nothing, and exports later ratings")
    func repeated() async throws {
        try await with { ground in
            try ground.publish("a.json", #"{"id": "open", "title": "Open", "questions": [{"id": "q1", "text": "?"}]}"#)
            let test = try RemoteFixture.test()
            _ = try await ground.remote.put(test.id, bytes: test.bytes, digest: test.digest)
            let first = try #require(try await ground.collect())
            #expect(first.taken == [test.id] && first.questionnaires == 1 && first.faults.isEmpty)
            let second = try #require(try await ground.collect())
            #expect(second.taken.isEmpty && second.known == 1 && second.changedFiles == 0)
            // What is withdrawn goes, and the test may go too: its receipt stays.
            try FileManager.default.removeItem(atPath: ground.root.appending("questionnaires/a.json").string)
            try FileManager.default.removeItem(atPath: file(ground, ExchangeLayout.test(test.id)))
            let third = try #require(try await ground.collect())
            #expect(third.questionnaires == 0 && third.changedFiles == 2)
            let reply = try await ground.remote.put(test.id, bytes: test.bytes, digest: test.digest)
            #expect(reply.status == 200)
        }
    }

    private func upload(
        _ test: TestID, _ id: TestID, _ content: [UInt8], digest: Digest? = nil
    ) -> MediaUpload {
        let attachment = Model.Attachment(
            id: id, questionId: "q1", name: "a.png", mediaType: "image/png", sizeBytes: Int64(content.count),
            digest: digest ?? Digest(sha256Of: content))
        let record = TestRecord(
            id: test, questionnaire: QuestionnaireReference(id: "open", title: "O", digest: Digest(sha256Of: [])),
            dateStarted: Timestamp(millisecondsSinceEpoch: 0), answers: [], attachments: [attachment], deviceId: "d",
            sequence: 1)
        return MediaUpload(change: MediaChange(attachment, of: record), known: nil) { offset, count in
            Array(content.dropFirst(Int(offset)).prefix(count))
        }
    }

    @Test("an attachment that its test does not name, or whose copy is damaged, is not taken")
    func attachments() async throws {
        try await with { ground in
            let test = try RemoteFixture.test()
            _ = try await ground.remote.put(test.id, bytes: test.bytes, digest: test.digest)
            let content = Array("content".utf8)
            let bytes = file(ground, ExchangeLayout.bytes(Digest(sha256Of: content)))
            let foreign = upload(test.id, .random(), content)
            #expect(try await ground.remote.upload(foreign).status == 202)
            #expect(try await ground.receipts([foreign.change.id]).kept == [foreign.change.id])
            let report = try #require(try await ground.collect())
            #expect(report.refused == [foreign.change.id] && report.attachments.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: bytes))
            #expect(try await ground.remote.upload(foreign).status == 422)
            // Its test has not come: it stays there for a later time.
            let early = upload(.random(), .random(), content)
            #expect(try await ground.remote.upload(early).status == 202)
            #expect(try #require(try await ground.collect()).refused.isEmpty)
            #expect(FileManager.default.fileExists(atPath: bytes))
            // Cut while it was copied: it does not get its name.
            let damaged = upload(test.id, .random(), content, digest: Digest(sha256Of: Array("other".utf8)))
            await #expect(throws: RemoteFailure.self) { try await ground.remote.upload(damaged) }
            #expect(try await ground.receipts([damaged.change.id]).kept.isEmpty)
            let left = try FileManager.default.contentsOfDirectory(atPath: file(ground, ExchangeLayout.temporary))
            #expect(left.isEmpty)
        }
    }

    @Test("a film goes onto the stick and comes from it piece by piece, and a damaged copy is rewritten")
    func films() async throws {
        try await with { ground in
            // Longer than what is held in memory anywhere on the way.
            let film = (0..<9 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 12) }
            let digest = Digest(sha256Of: film)
            let names = ["film.mp4", "\(digest.hex).mp4"]
            let media = names.map { #"{"path": "media/\#($0)", "type": "video/mp4"}"# }.joined(separator: ", ")
            try ground.publish(
                "a.json",
                #"{"id": "open", "title": "Open", "questions": [{"id": "q1", "text": "?", "media": [\#(media)]}]}"#)
            for name in names {
                let path = ground.root.appending("questionnaires/media").appending(name).string
                try Data(film).write(to: URL(filePath: path))
            }
            let first = try #require(try await ground.collect())
            #expect(first.faults.isEmpty && first.changedFiles == 4)
            #expect(try #require(try await ground.collect()).changedFiles == 0)
            for name in names {
                let url = ground.remote.documentURL(id: "") + "media/" + name
                let reply = try await ground.remote.stream(url, fields: HTTPFields(), maximumBytes: 2 << 30)
                #expect(reply.head.status == 200 && reply.head.fields[.contentType] == "video/mp4")
                #expect(reply.body.length == Int64(film.count))
                var longest = 0
                var builder = DigestBuilder()
                while case .bytes(let piece)? = try await reply.body.next() {
                    longest = max(longest, piece.count)
                    piece.withUnsafeBytes { builder.update($0) }
                }
                #expect(builder.finish() == digest && longest <= OpenContent.pieceBytes)
                var known = HTTPFields()
                known[.ifNoneMatch] = reply.head.fields[.eTag]
                #expect(try await ground.remote.stream(url, fields: known, maximumBytes: 2 << 30).head.status == 304)
                await #expect(throws: RemoteFailure.self) {
                    _ = try await ground.remote.stream(url, fields: HTTPFields(), maximumBytes: 1000)
                }
            }
            let none = ground.remote.documentURL(id: "") + "media/none.mp4"
            #expect(try await ground.remote.stream(none, fields: HTTPFields(), maximumBytes: 1000).head.status == 404)
            let copy = file(ground, "questionnaires/media/film.mp4")
            try Data(film.dropLast() + [film[film.count - 1] ^ 1]).write(to: URL(filePath: copy))
            #expect(try #require(try await ground.collect()).changedFiles == 1)
            #expect(try Data(contentsOf: URL(filePath: copy)) == Data(film))
            let left = try FileManager.default.contentsOfDirectory(atPath: file(ground, ExchangeLayout.temporary))
            #expect(left.isEmpty)
        }
    }

    @Test("a link on the stick leads nowhere")
    func links() async throws {
        try await with { ground in
            try ground.publish("a.json", #"{"id": "open", "title": "Open", "questions": [{"id": "q1", "text": "?"}]}"#)
            try await ground.collect()
            let secret = ground.root.appending("secret")
            try FileManager.default.createDirectory(atPath: secret.string, withIntermediateDirectories: true)
            try Data("secret".utf8).write(to: URL(filePath: secret.appending("x").string))
            let media = file(ground, "questionnaires/media")
            try FileManager.default.createSymbolicLink(atPath: media, withDestinationPath: secret.string)
            let url = ground.remote.documentURL(id: "") + "media/x"
            await #expect(throws: RemoteFailure.self) {
                _ = try await ground.remote.get(url, fields: HTTPFields(), maximumBytes: 1000)
            }
            let tests = file(ground, "tests")
            try FileManager.default.removeItem(atPath: tests)
            try FileManager.default.createSymbolicLink(atPath: tests, withDestinationPath: secret.string)
            let test = try RemoteFixture.test()
            await #expect(throws: RemoteFailure.self) {
                _ = try await ground.remote.put(test.id, bytes: test.bytes, digest: test.digest)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: secret.string) == ["x"])
        }
    }

    @Test("the names of questionnaires stay apart where case is one, and no id leads out of the folder")
    func names() {
        let ids = ["a", "A", "..", ".a", "a/b", "a%2Fb", "a~b", "Ёж", String(repeating: "я", count: 300), "a:b", ""]
        let names = ids.map { ExchangeLayout.documentName(id: $0).lowercased() }
        #expect(Set(names).count == ids.count)
        for name in names { #expect(!name.contains("/") && !name.hasPrefix(".") && name.utf8.count <= 220) }
    }
}
