import Disk
import Foundation
import InMemory
import Model
import ObjectStores
import Remotes
import Sync
import SystemPackage
import Testing

@testable import Host

/// Questionnaires and favourites in a folder: what the host does with them, and what their devices learn.
@Suite("Changes in a folder as a remote")
struct FolderChangeTests {
    private func file(_ ground: RemoteFixture, _ path: FilePath) -> String {
        ground.root.appending("stick").pushing(path).string
    }

    private func names(_ ground: RemoteFixture) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: file(ground, ExchangeLayout.changes)).sorted()
    }

    private static func document(_ id: String, _ title: String) -> [UInt8] {
        Array(#"{"id": "\#(id)", "title": "\#(title)", "questions": [{"id": "q1", "text": "?"}]}"#.utf8)
    }

    /// A change as a device has it in its outbox.
    private func change(
        _ action: ChangeAction, _ questionnaire: String, title: String = "Mine", base: String? = nil,
        after: QuestionnaireChange? = nil, policy: ConflictPolicy? = nil, sequence: Int = 1
    ) -> QuestionnaireChange {
        QuestionnaireChange(
            id: .random(), action: action, questionnaire: questionnaire, title: title,
            base: base.map { .init(etag: $0) }, after: after?.id, policy: policy, dateChanged: .epoch,
            deviceId: "device", sequence: sequence,
            document: action == .delete ? nil : Self.document(questionnaire, title))
    }

    private func send(_ change: QuestionnaireChange, _ ground: RemoteFixture) async throws -> RemoteReply {
        try await ground.remote.send(
            ChangeDelivery(
                change: .questionnaire(change), etag: change.base?.etag, after: change.after, file: try change.file()))
    }

    private func send(_ change: FavoriteChange, _ ground: RemoteFixture) async throws -> RemoteReply {
        try await ground.remote.send(
            ChangeDelivery(change: .favorite(change), etag: nil, file: try DocumentCoding.encode(change)))
    }

    private func publication(_ reply: RemoteReply) throws -> Publication? {
        try DocumentCoding.decode(Receipt.self, from: reply.body).published
    }

    /// The tag of what the host publishes under an id, as a device sees it.
    private func etag(_ id: String, _ ground: RemoteFixture) async throws -> String {
        let reply = try await ground.remote.get(
            ground.remote.documentURL(id: id), fields: [:], maximumBytes: 1 << 20)
        return try #require(reply.fields[.eTag])
    }

    private func published(_ ground: RemoteFixture, _ name: String) throws -> String {
        let path = ground.root.appending("questionnaires").appending(name).string
        return String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    @Test("a change is stored once, however often it comes, and gives the same receipt", arguments: RemoteKind.allCases)
    func idempotent(_ kind: RemoteKind) async throws {
        try await RemoteFixture.with(kind) { ground in
            let change = change(.create, TestID.random().description)
            for _ in 0..<2 {
                let reply = try await send(change, ground)
                #expect(kind.isCollected ? reply.status == 202 : [200, 201].contains(reply.status))
            }
            if kind.isCollected {
                #expect(try await ground.receipts([change.id]).kept == [change.id])
                #expect(try await ground.collect()?.changes == [change.id])
                let objects = try await ground.objects.list(prefix: "changes/", after: nil, limit: 10)
                let left = kind == .folder ? try names(ground) : objects.map(\.name.text)
                #expect(left == [])
            }
            // Another document under its id.
            var other = change
            other.document = Self.document(change.questionnaire, "Other")
            #expect(try await send(other, ground).status == 409)
            var receipts: Set<[UInt8]> = []
            for _ in 0..<3 {
                let reply = try await send(change, ground)
                #expect(reply.status == 200)
                receipts.insert(reply.body)
                let report = try await ground.collect()
                #expect(report == nil || report?.changes.isEmpty == true && report?.changedFiles == 0)
            }
            #expect(receipts.count == 1)
            #expect(try await ground.receipts([change.id]).delivered == [change.id])
        }
    }

    @Test("before the host has seen it, other content under its id is 409, and half a file is written again")
    func half() async throws {
        try await RemoteFixture.with(.folder) { ground in
            let change = change(.create, TestID.random().description)
            #expect(try await send(change, ground).status == 202)
            var other = change
            other.document = Self.document(change.questionnaire, "Other")
            #expect(try await send(other, ground).status == 409)
            let path = file(ground, ExchangeLayout.questionnaireChange(change.id))
            let whole = try Data(contentsOf: URL(filePath: path))
            try whole.prefix(whole.count / 2).write(to: URL(filePath: path))
            // The host does not take it, and does not refuse it.
            let report = try #require(try await ground.collect())
            #expect(report.changes.isEmpty && report.refused.isEmpty && report.faults.count == 1)
            #expect(try await ground.receipts([change.id]).kept.isEmpty)
            #expect(try await send(change, ground).status == 202)
            #expect(try Data(contentsOf: URL(filePath: path)) == whole)
            #expect(try await ground.collect()?.changes == [change.id])
        }
    }

    @Test(
        "made, edited twice and deleted between two collections: each is carried out, after what it goes on from"
    )
    func chain() async throws {
        try await RemoteFixture.with(.folder) { ground in
            let id = TestID.random().description
            // The numbers are those of a copied store: only `after` decides.
            let create = change(.create, id, sequence: 9)
            let first = change(.edit, id, title: "Once", after: create, sequence: 7)
            let second = change(.edit, id, title: "Twice", after: first, sequence: 8)
            let favorite = FavoriteChange(
                id: .random(), questionnaire: id, title: "Mine", favorite: true, dateChanged: .epoch,
                deviceId: "device", sequence: 1)
            #expect(try await send(favorite, ground).status == 202)
            for edit in [second, first] { #expect(try await send(edit, ground).status == 202) }
            // What they go on from is not there yet.
            let early = try #require(try await ground.collect())
            #expect(early.changes.isEmpty && early.waiting == 3 && early.faults.isEmpty && early.refused.isEmpty)
            #expect(try await ground.receipts([first.id, second.id]).kept == [first.id, second.id])
            #expect(try await send(create, ground).status == 202)
            let report = try #require(try await ground.collect())
            #expect(report.changes == [create.id, first.id, second.id, favorite.id] && report.waiting == 0)
            #expect(report.questionnaires == 1)
            #expect(try published(ground, "mine-1.json").contains("Twice"))
            let shelf = ground.root.appending("data/favorites/everybody").string
            #expect(try FileManager.default.contentsOfDirectory(atPath: shelf) == ["mine-1.json"])

            let delete = change(.delete, id, after: second, sequence: 10)
            #expect(try await send(delete, ground).status == 202)
            #expect(try await ground.collect()?.questionnaires == 0)
            let receipt = try publication(try await send(delete, ground))
            #expect(receipt?.deleted == true && receipt?.id == "mine-1")
            #expect(try names(ground).isEmpty)
        }
    }

    @Test(
        "of two edits on one stick the second hears of the first, finds its version there, and is judged again"
    )
    func conflict() async throws {
        try await RemoteFixture.with(.folder) { ground in
            try ground.publish("a.json", String(decoding: Self.document("a", "Theirs"), as: UTF8.self))
            try await ground.collect()
            let base = try await etag("a", ground)
            let first = change(.edit, "a", title: "First", base: base, sequence: 1)
            let second = change(.edit, "a", title: "Second", base: base, sequence: 2)
            let third = change(.edit, "a", title: "Third", after: second, sequence: 3)
            for edit in [first, second, third] { #expect(try await send(edit, ground).status == 202) }
            let report = try #require(try await ground.collect())
            #expect(report.changes == [first.id] && report.conflicts == [second.id] && report.waiting == 1)
            #expect(report.faults.isEmpty && report.refused.isEmpty)
            let known = try await ground.receipts([first.id, second.id, third.id])
            #expect(known.delivered == [first.id] && known.kept == [third.id])
            #expect(try await send(second, ground).status == 412)
            let current = try await ground.remote.current(of: .questionnaire(second), maximumBytes: 1 << 20)
            #expect(String(decoding: current.body, as: UTF8.self).contains("First"))
            let theirs = try #require(current.fields[.eTag])
            // Sent again it is refused again, and nothing is done twice.
            #expect(try await send(second, ground).status == 202)
            let again = try #require(try await ground.collect())
            #expect(again.changes.isEmpty && again.conflicts == [second.id])
            // As its person decided.
            let mine = change(.edit, "a", title: "Second", base: theirs, sequence: 4)
            #expect(try await send(mine, ground).status == 202)
            #expect(try await ground.collect()?.changes == [mine.id])
            #expect(try published(ground, "a.json").contains("Second"))
            // The host keeps what it replaced.
            let former = try FileManager.default.contentsOfDirectory(
                atPath: ground.root.appending("data/former").string)
            #expect(former.count == 2)
        }
    }

    @Test("a questionnaire deleted by another device is reported as deleted; one that the folder only lacks is not")
    func deleted() async throws {
        try await RemoteFixture.with(.folder) { ground in
            try ground.publish("a.json", String(decoding: Self.document("a", "Theirs"), as: UTF8.self))
            try ground.publish("b.json", String(decoding: Self.document("b", "Theirs"), as: UTF8.self))
            try await ground.collect()
            let edit = change(.edit, "a", base: try await etag("a", ground))
            let other = change(.edit, "b", base: "\"old\"")
            for change in [edit, other] { #expect(try await send(change, ground).status == 202) }
            try FileManager.default.removeItem(atPath: ground.root.appending("questionnaires/a.json").string)
            #expect(try await ground.collect()?.conflicts.count == 2)
            #expect(try await send(edit, ground).status == 412)
            #expect(try await ground.remote.current(of: .questionnaire(edit), maximumBytes: 1000).status == 404)
            try FileManager.default.removeItem(atPath: file(ground, ExchangeLayout.document(name: "b")))
            await #expect(throws: RemoteFailure.self) {
                _ = try await ground.remote.current(of: .questionnaire(other), maximumBytes: 1000)
            }
            #expect(try await send(other, ground).status == 412)
        }
    }

    @Test("the rule that the device asks for is carried out", arguments: [ConflictPolicy.client, .server, .duplicate])
    func rules(_ policy: ConflictPolicy) async throws {
        try await RemoteFixture.with(.folder) { ground in
            try ground.publish("a.json", String(decoding: Self.document("a", "Theirs"), as: UTF8.self))
            try await ground.collect()
            let edit = change(.edit, "a", base: "\"old\"", policy: policy)
            #expect(try await send(edit, ground).status == 202)
            let report = try #require(try await ground.collect())
            #expect(report.changes == [edit.id] && report.conflicts.isEmpty)
            #expect(report.questionnaires == (policy == .duplicate ? 2 : 1))
            #expect(try published(ground, "a.json").contains(policy == .client ? "Mine" : "Theirs"))
            let receipt = try DocumentCoding.decode(Receipt.self, from: try await send(edit, ground).body)
            #expect(receipt.outcome == [.client: .replaced, .server: .dropped, .duplicate: .copied][policy])
        }
    }

    @Test("what never was, or is no questionnaire to the host, is refused with the reason")
    func refused() async throws {
        try await RemoteFixture.with(.folder) { ground in
            let never = change(.edit, "never", base: "\"old\"")
            var keyed = change(.create, TestID.random().description)
            keyed.document = Array(
                #"{"id": "x", "title": "Keyed", "questions": [{"id": "q1", "text": "?"}], "answerKey": 5}"#.utf8)
            for change in [never, keyed] { #expect(try await send(change, ground).status == 202) }
            let report = try #require(try await ground.collect())
            #expect(Set(report.refused) == [never.id, keyed.id] && report.faults.count == 2 && report.changes.isEmpty)
            #expect(try await send(never, ground).status == 404)
            #expect(try await send(keyed, ground).status == 422)
            #expect(try await ground.receipts([never.id, keyed.id]).kept.isEmpty)
            #expect(try names(ground).isEmpty)
        }
    }

    @Test("what is kept says what is to be done, and an edit names its base as it is known when it is put there")
    func files() async throws {
        try await RemoteFixture.with(.folder) { ground in
            let id = TestID.random().description
            let create = change(.create, id)
            var edit = change(.edit, id, title: "Edited", after: create, sequence: 2)
            #expect(try await send(edit, ground).status == 202)
            let path = URL(filePath: file(ground, ExchangeLayout.questionnaireChange(edit.id)))
            #expect(try Data(contentsOf: path) == Data(try edit.file()))
            // Its receipt came another way: the base is known.
            let reply = try await ground.remote.send(
                ChangeDelivery(change: .questionnaire(edit), etag: "\"tag\"", file: try edit.file()))
            let kept = try DocumentCoding.decode(KeptReceipt.self, from: reply.body)
            #expect(kept.action == .edit && kept.digest == edit.contentDigest && kept.test == edit.id)
            edit.after = nil
            edit.base = .init(etag: "\"tag\"")
            #expect(try Data(contentsOf: path) == Data(try edit.file()))
        }
    }
}
