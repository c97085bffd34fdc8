import Foundation
import HummingbirdTesting
import Model
import Simulation
import Testing

@testable import Host

@Suite("Rating everything again after the key was changed")
struct RatingAgainTests {
    private static func exam(_ right: String) -> String {
        """
        {"id": "exam", "title": "Exam", "answerKey": {"q1": "\(right)"}, "questions": [
         {"id": "q1", "text": "Capital?", "options": ["Paris", "Rome", "Oslo"]},
         {"id": "essay", "text": "Why?", "kind": "text", "points": 2}]}
        """
    }

    private func deliver(_ fixture: HostFixture, _ answers: [[String: String]]) async throws -> [TestID] {
        let version = String(
            decoding: try PublishedQuestionnaire(json: Array(Self.exam("Oslo").utf8)).content, as: UTF8.self)
        let tests = try answers.map { given in
            try TestFile(
                questionnaire: "exam", version: version,
                answers: given.sorted { $0.key < $1.key }.map { Answer(questionId: $0.key, value: .one($0.value)) })
        }
        try await fixture.serve { client in for test in tests { _ = try await client.deliver(test) } }
        return tests.map(\.id)
    }

    private func corrected(_ fixture: HostFixture, _ right: String) throws -> TestArchive {
        // A later look sees the new file.
        fixture.clock.advance(by: .seconds(60))
        try fixture.publish("exam.json", Self.exam(right))
        return try fixture.archive()
    }

    @Test("a preview says who changes and changes nothing; then it is done once, and what was before is kept")
    func again() async throws {
        let fixture = try HostFixture()
        try fixture.publish("exam.json", Self.exam("Oslo"))
        let ids = try await deliver(fixture, [["q1": "Paris"], ["q1": "Oslo"], ["q1": "Rome"]])
        let archive = try corrected(fixture, "Paris")
        let before = try ids.map { try #require(try archive.handedIn($0)).receipt }
        let preview = try archive.ratings.rateAgain(questionnaire: "exam", writes: false)
        #expect(Set(preview.changed.map(\.test)) == Set(ids.prefix(2)) && preview.count(.same) == 1)
        #expect(preview.changed.allSatisfy { $0.changes.map(\.question) == ["q1"] && $0.changesPoints })
        #expect(try ids.map { try #require(try archive.handedIn($0)).receipt } == before)
        let state = try preview.state
        fixture.clock.advance(by: .seconds(5))
        #expect(try archive.ratings.rateAgain(questionnaire: "exam", writes: false).state == state)

        let done = try archive.ratings.rateAgain(questionnaire: "exam", writes: true)
        #expect(try done.state == state)
        let receipts = try ids.map { try #require(try archive.handedIn($0)).receipt }
        #expect(receipts.map { $0.evaluation?.score } == [1, 0, 0])
        let old = try #require(before[0].evaluation)
        #expect(receipts[0].former == Receipt.FormerRating(old))
        #expect(receipts[0].evaluation?.ratedAt == fixture.clock.now && receipts[2] == before[2])
        #expect(try archive.received.history(of: ids[0]).map(\.receipt) == [before[0]])
        #expect(try archive.received.history(of: ids[2]).isEmpty)
        fixture.clock.advance(by: .seconds(5))
        #expect(try archive.ratings.rateAgain(questionnaire: "exam", writes: true).changed.isEmpty)
        #expect(try ids.map { try #require(try archive.handedIn($0)).receipt } == receipts, "twice is once")
        #expect(throws: HostError.unknownQuestionnaire("none")) {
            try archive.ratings.rateAgain(questionnaire: "none", writes: false)
        }
    }

    @Test("points, overrules, comments and scores that persons gave stay")
    func marks() async throws {
        let fixture = try HostFixture()
        try fixture.publish("exam.json", Self.exam("Oslo"))
        let answers = ["q1": "Paris", "essay": "So."]
        let ids = try await deliver(fixture, [answers, answers, answers])
        var archive = try fixture.archive()
        func rate(_ id: TestID, _ verdict: TeacherRating.Verdict) throws {
            try archive.ratings.rate(
                id, TeacherRating(verdict: verdict, ratedBy: "Ada", comment: "Seen", reason: "My reason"))
        }
        try rate(ids[0], .points(question: "essay", 1.5, maximum: nil))
        try rate(ids[1], .points(question: "essay", 1, maximum: nil))
        try rate(ids[1], .points(question: "q1", 0.25, maximum: nil))
        try rate(ids[2], .score(2, maximum: 3))
        archive = try corrected(fixture, "Paris")
        let again = try archive.ratings.rateAgain(questionnaire: "exam", writes: true)
        #expect(again.changed.map(\.test) == [ids[0]] && again.count(.ratedAsOne) == 1 && again.count(.same) == 1)
        let receipts = try ids.map { try #require(try archive.handedIn($0)).receipt }
        #expect(receipts.map { $0.evaluation?.score } == [2.5, 1.25, 2])
        let essay = receipts[0].evaluation?.questions[1]
        #expect(essay?.points == 1.5 && essay?.comment == "Seen" && essay?.ratedBy == "Ada")
        #expect(receipts[0].evaluation?.ratedBy == "Ada" && receipts.allSatisfy { $0.status == .rated })
    }

    @Test("a test that waits for a person keeps waiting, with the key's points as they are now")
    func waiting() async throws {
        let fixture = try HostFixture()
        try fixture.publish("exam.json", Self.exam("Oslo"))
        let id = try #require(try await deliver(fixture, [["q1": "Paris", "essay": "So."]]).first)
        let archive = try corrected(fixture, "Paris")
        #expect(try archive.ratings.rateAgain(questionnaire: "exam", writes: true).changed.count == 1)
        let receipt = try #require(try archive.handedIn(id)).receipt
        #expect(receipt.status == .checking && receipt.evaluation?.score == 1 && receipt.former == nil)
    }

    @Test("whatever marks there are, an unchanged key changes nothing, and a changed one once", arguments: 0..<24)
    func property(_ seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let fixture = try HostFixture()
        try fixture.publish("exam.json", Self.exam("Oslo"))
        let options = ["Paris", "Rome", "Oslo", ""]
        let answers = (0..<6).map { _ in
            [
                "q1": options.randomElement(using: &generator) ?? "",
                "essay": Bool.random(using: &generator) ? "So." : "",
            ]
        }
        let ids = try await deliver(fixture, answers)
        var archive = try fixture.archive()
        for id in ids {
            let points = Double.random(in: 0...1, using: &generator)
            let verdicts: [TeacherRating.Verdict?] = [
                nil, .points(question: "essay", points, maximum: nil), .points(question: "q1", points, maximum: nil),
                .score(points, maximum: 3),
            ]
            guard let verdict = verdicts.randomElement(using: &generator) ?? nil else { continue }
            try archive.ratings.rate(
                id, TeacherRating(verdict: verdict, ratedBy: Bool.random(using: &generator) ? "Ada" : nil))
        }
        func receipts() throws -> [Receipt] { try ids.map { try #require(try archive.handedIn($0)).receipt } }
        func versions() throws -> Int { try ids.reduce(0) { $0 + (try archive.received.history(of: $1).count) } }
        let (former, count) = (try receipts(), try versions())
        #expect(try archive.ratings.rateAgain(questionnaire: "exam", writes: true).changed.isEmpty)
        #expect(try receipts() == former && versions() == count)

        archive = try corrected(fixture, try #require(options.dropLast().randomElement(using: &generator)))
        let changed = try archive.ratings.rateAgain(questionnaire: "exam", writes: true).changed
        let once = try receipts()
        #expect(try versions() == count + changed.count)
        for (old, new) in zip(former, once) {
            let given = old.evaluation?.questions.filter(\.isByPerson) ?? []
            #expect(given.allSatisfy { new.evaluation?.questions.contains($0) == true })
            #expect(old.status != .rated || new.status == .rated)
        }
        #expect(try archive.ratings.rateAgain(questionnaire: "exam", writes: true).changed.isEmpty)
        #expect(try receipts() == once && versions() == count + changed.count)
        // With the former key everything is worth what it was.
        archive = try corrected(fixture, "Oslo")
        _ = try archive.ratings.rateAgain(questionnaire: "exam", writes: true)
        #expect(try receipts().map { $0.evaluation?.score } == former.map { $0.evaluation?.score })
    }

    @Test("the former rating is given out with the score alone")
    func release() throws {
        var receipt = Receipt(test: .random(), status: .rated, receivedAt: ManualClock.start)
        receipt.evaluation = Evaluation(score: 2, maximum: 3)
        receipt.former = Receipt.FormerRating(Evaluation(score: 1, maximum: 3))
        let json = #"{"id": "a", "title": "A", "release": {"score": "never"}, "questions": []}"#
        let terms = ReceiptRelease.Terms(try PublishedQuestionnaire(json: Array(json.utf8)))
        #expect(ReceiptRelease().released(receipt, by: terms, now: ManualClock.start).former == nil)
        #expect(ReceiptRelease().released(receipt, by: .init(), now: ManualClock.start).former == receipt.former)
    }
}

@Suite("A test that is sent back to be corrected")
struct ReturnedTestTests {
    private func submission(_ person: String?, parent: TestID? = nil) throws -> TestSubmission {
        var record = TestRecord(
            id: .random(), questionnaire: QuestionnaireReference(id: "a", title: "A", digest: Digest(sha256Of: [])),
            dateStarted: ManualClock.start, dateFinished: ManualClock.start, deviceId: "device", sequence: 1)
        record.person = person.map { Person(id: $0, name: $0) }
        record.parent = parent
        return try TestSubmission(DocumentCoding.encode(record), id: record.id)
    }

    @Test("its first correction is taken beyond the attempts and after the end; others, and those of others, are not")
    func correction() async throws {
        let fixture = try HostFixture()
        let closes = ManualClock.start.adding(seconds: 600)
        try fixture.publish(
            "a.json",
            #"{"id": "a", "title": "A", "availability": {"attempts": 1, "closesAt": "\#(closes)", "late": "refuse"}, "questions": []}"#
        )
        let first = try submission("ada")
        try await fixture.serve { client in
            let reply = try await client.put("/v1/tests/\(first.id)", first.bytes)
            #expect(reply.status == .created)
            let archive = try fixture.archive()
            let unasked = try submission("ada", parent: first.id)
            #expect(try await client.put("/v1/tests/\(unasked.id)", unasked.bytes).status == .unprocessableContent)
            #expect(throws: HostError.self) { try archive.ratings.rate(first.id, TeacherRating(verdict: .returned)) }
            fixture.clock.advance(by: .seconds(3600))
            let rating = TeacherRating(verdict: .returned, ratedBy: "Ms L", comment: "Say why.")
            let returned = try archive.ratings.rate(first.id, rating)
            #expect(returned.returned == Receipt.Return(at: fixture.clock.now, by: "Ms L", comment: "Say why."))
            #expect(returned.status == .sent)
            #expect(
                try archive.ratings.rate(first.id, rating) == returned
                    && archive.received.history(of: first.id).count == 1)
            let told: Receipt = try await client.get("/v1/tests/\(first.id)").decoded()
            #expect(told.returned == returned.returned)

            let foreign = try submission("bob", parent: first.id)
            let fine = try await client.put("/v1/tests/\(foreign.id)", foreign.bytes).decoded(Receipt.self)
            #expect(fine.late == true, "another person's test is no correction of it")
            let correction = try submission("ada", parent: first.id)
            let accepted = try await client.put("/v1/tests/\(correction.id)", correction.bytes)
            #expect(accepted.status == .created)
            let receipt: Receipt = try accepted.decoded()
            #expect(receipt.attempt == 2 && receipt.late != true)
            #expect(try await client.put("/v1/tests/\(correction.id)", correction.bytes).status == .ok)
            let second = try submission("ada", parent: first.id)
            #expect(try await client.put("/v1/tests/\(second.id)", second.bytes).status == .unprocessableContent)
            #expect(try archive.lists.corrections(of: correction.id).map(\.id) == [first.id, correction.id])
            #expect(try archive.lists.corrections(of: first.id).map(\.id) == [first.id, correction.id])
            #expect(try archive.ratings.rate(first.id, TeacherRating(verdict: .returnWithdrawn)).returned == nil)
        }
    }

    @Test(
        "a correction of one's own accord, before it was sent back, does not use up the one that the teacher asked for")
    func unaskedBefore() async throws {
        let fixture = try HostFixture()
        try fixture.publish(
            "a.json",
            #"{"id": "a", "title": "A", "availability": {"attempts": 2, "late": "refuse"}, "questions": []}"#)
        let first = try submission("ada")
        let unasked = try submission("ada", parent: first.id)
        let asked = try submission("ada", parent: first.id)
        let further = try submission("ada", parent: first.id)
        try await fixture.serve { client in
            for test in [first, unasked] {
                #expect(try await client.put("/v1/tests/\(test.id)", test.bytes).status == .created)
            }
            fixture.clock.advance(by: .seconds(60))
            _ = try fixture.archive().ratings.rate(
                first.id, TeacherRating(verdict: .returned, ratedBy: "Ms L", comment: "Say why."))
            fixture.clock.advance(by: .seconds(60))
            #expect(try await client.put("/v1/tests/\(asked.id)", asked.bytes).status == .created)
            #expect(try await client.put("/v1/tests/\(further.id)", further.bytes).status == .unprocessableContent)
        }
    }

    @Test("a test without a person that was sent back is corrected by a person of its device")
    func claimed() async throws {
        let fixture = try HostFixture()
        let closes = ManualClock.start.adding(seconds: 600)
        try fixture.publish(
            "a.json",
            #"{"id": "a", "title": "A", "availability": {"closesAt": "\#(closes)", "late": "refuse"}, "questions": []}"#
        )
        let first = try submission(nil)
        let correction = try submission("ada", parent: first.id)
        try await fixture.serve { client in
            #expect(try await client.put("/v1/tests/\(first.id)", first.bytes).status == .created)
            fixture.clock.advance(by: .seconds(3600))
            _ = try fixture.archive().ratings.rate(
                first.id, TeacherRating(verdict: .returned, ratedBy: "Ms L", comment: "Say why."))
            #expect(try await client.put("/v1/tests/\(correction.id)", correction.bytes).status == .created)
        }
    }
}
