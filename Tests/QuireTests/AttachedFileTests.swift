import Disk
import Model
import OutboxStore
import Quire
import QuireWording
import Simulation
import Testing
import Wording

/// Files of drafts: several of one name, and files that are gone.
@Suite("Files that belong to a draft")
struct AttachedFileTests {
    @Test(
        "of two files of one name none is taken away unseen; the beginning of the digest says which",
        arguments: StoreKind.allCases)
    func oneName(_ kind: StoreKind) async throws {
        let ground = try await StoreFixture(on: kind)
        let (test, first) = try await ground.drafted("photo.jpg", "first")
        let second = try ground.attach("photo.jpg", "second", to: test)
        let outbox = ground.store.outbox
        do {
            try outbox.edits.detach("photo.jpg", questionId: "q2", from: test)
            Issue.record("one of them was taken away")
        } catch let error as OutboxError {
            #expect(error == .attachedTwice(test, questionId: "q2", [first, second]))
            #expect(error.description.contains(first.mark) && error.description.contains(second.mark))
        }
        #expect(throws: OutboxError.notAttached(test, questionId: "q2", name: String(second.mark.dropLast()))) {
            try outbox.edits.detach(String(second.mark.dropLast()), questionId: "q2", from: test)
        }
        let left = try outbox.edits.detach(second.mark, questionId: "q2", from: test)
        #expect(left.record.attachments == [first])
        #expect(try outbox.edits.detach("photo.jpg", questionId: "q2", from: test).record.attachments.isEmpty)
    }

    @Test(
        "a draft whose file is gone is named by doctor, and is not finished while the file can be attached again",
        arguments: StoreKind.allCases)
    func lost(_ kind: StoreKind) async throws {
        let ground = try await StoreFixture(on: kind)
        let (test, file) = try await ground.drafted()
        #expect(try ground.store.examine(repairing: false) == [])
        try ground.files.remove(OutboxLayout.mediaPath(file.digest))
        let findings = try ground.store.examine(repairing: false)
        #expect(findings.map(\.kind) == [.orphan])
        let finding = try #require(findings.first)
        for language in Language.allCases {
            #expect(finding.words(language).contains("photo.jpg"), "\(finding)")
            #expect(finding.advice(language).contains("quire attach \(test) q2"), "\(finding)")
        }
        #expect(throws: StoreError.missingFiles(test, [file])) { try ground.store.finish(test) }
        #expect(try ground.store.outbox.find(test)?.status == .inProgress)
        // The same file again is the same attachment.
        #expect(try ground.attach("photo.jpg", "grey", to: test) == file)
        #expect(try ground.store.examine(repairing: false) == [])
        #expect(try ground.store.finish(test).status == .done)
    }

    @Test("a new revision needs no bytes that the server has", arguments: StoreKind.allCases)
    func delivered(_ kind: StoreKind) async throws {
        let ground = try await StoreFixture(on: kind)
        let (test, file) = try await ground.drafted()
        _ = try ground.store.finish(test)
        try await ground.sweep()
        try ground.files.remove(OutboxLayout.mediaPath(file.digest))
        let revision = try ground.store.outbox.edits.reopen(test, deviceID: "tablet").record.id
        #expect(revision != test)
        #expect(try ground.store.examine(repairing: false) == [])
        #expect(try ground.store.finish(revision).status == .done)
    }

    @Test("a question takes files of the types that its author names, and no others")
    func types() async throws {
        let ground = try await StoreFixture()
        ground.remote.publish(
            "capitals",
            """
            {"id": "capitals", "title": "Capitals", "questions": [
              {"id": "q1", "text": "?", "kind": "text"}, {"id": "q2", "text": "?", "kind": "file", "accept": "image/*, .PDF"}]}
            """)
        _ = try await ground.store.puller(ground.remote).pull()
        let (test, _) = try await ground.drafted("first.jpg", "first")
        try ground.store.testAttachments.checkAttachable(
            test, questionId: "q2", name: "map.pdf", mediaType: "application/octet-stream")
        // Files beside an answer of another kind are of any type.
        try ground.store.testAttachments.checkAttachable(
            test, questionId: "q1", name: "map.txt", mediaType: "text/plain")
        let fault = #expect(throws: AnswerFault.self) {
            try ground.store.testAttachments.checkAttachable(
                test, questionId: "q2", name: "map.txt", mediaType: "text/plain")
        }
        #expect(
            fault?.description
                == "question “q2”: takes files of these types alone: image/*, .pdf, and “map.txt” is text/plain")
    }

    @Test("a question takes as many files as its author says, and a draft with more is not finished")
    func limit() async throws {
        let ground = try await StoreFixture()
        ground.remote.publish(
            "capitals",
            """
            {"id": "capitals", "title": "Capitals", "questions": [
              {"id": "q1", "text": "?", "kind": "text"}, {"id": "q2", "text": "?", "kind": "file", "maxFiles": 1}]}
            """)
        _ = try await ground.store.puller(ground.remote).pull()
        let (test, first) = try await ground.drafted("first.jpg", "first")
        do {
            try ground.store.testAttachments.checkAttachable(
                test, questionId: "q2", name: "second.jpg", mediaType: "image/jpeg")
            Issue.record("a second file may be attached")
        } catch let fault as AnswerFault {
            #expect(fault.reason.description == "takes at most 1 file: remove one with “quire attach --remove” first")
        }
        // Another program knows no limit.
        try ground.attach("second.jpg", "second", to: test)
        do {
            _ = try ground.store.finish(test)
            Issue.record("the test is finished with two files")
        } catch let fault as AnswerFault {
            #expect(fault.questionId == "q2" && fault.reason.description == "Attach at most 1 file.")
        }
        try ground.store.outbox.edits.detach(first.id, from: test)
        _ = try ground.store.finish(test)
        #expect(try ground.store.outbox.find(test)?.status == .done)
    }
}
