import Model
import OutboxStore
import Quire
import QuireWording
import Sync
import Testing

@Suite("The words of explanations")
struct ExplanationWordsTests {
    private static let test = "11111111-1111-4111-8111-111111111111"
    private let id: TestID
    private let time = Timestamp(secondsSinceEpoch: 1_795_000_000)

    init() throws { id = try #require(TestID(Self.test)) }

    /// The English text, which no other language has.
    private func expect(_ words: (Language) -> String?, _ english: String) {
        #expect(words(.english) == english)
        for language in Language.allCases where language != .english {
            let text = words(language) ?? ""
            #expect(!text.isEmpty && text != english && !text.contains("{"), "\(language): \(text)")
        }
    }

    private func expect(_ fact: Explanation.Fact, _ english: String) { expect(fact.words, english) }
    private func expect(_ step: Explanation.Step, _ english: String) { expect(step.words, english) }

    @Test("each fact is a sentence in each language")
    func facts() throws {
        let when = time.inWords
        expect(.otherVersion(.conflict), "Another version of it lies in conflict.")
        expect(.started(time, answers: 1), "Started \(when), 1 answer.")
        expect(.started(time, answers: 2), "Started \(when), 2 answers.")
        expect(.finished(time), "Finished \(when).")
        expect(.revised(by: id), "It was revised: \(Self.test).")
        expect(.timeTaken(nil), "The time limit was exceeded.")
        expect(.changed(.create, time), "Created here \(when).")
        expect(.base(etag: "e"), "It is based on the version e.")
        expect(.after(id), "It goes on from change \(Self.test).")
        expect(.bytesRemoved, "The copy here was removed; the server has it.")
        expect(.bytesMissing, "Its bytes are not on this device.")
        expect(.partlyUploaded, "A part may be on the server: the next sync goes on from there.")
        expect(.kept(since: time, .hub), "The hub has had it since \(when) and will deliver it to the server.")
        expect(
            .changedAfterSending,
            "The file was changed after it was first sent: the server may hold other answers.")
        expect(.stored(time), "The server stored it \(when).")
        expect(.renamed("q"), "The server calls it q.")
        let digest = Digest(sha256Of: [])
        expect(.receipt(digest, matches: true), "The receipt matches this file (\(digest)).")
        expect(
            .receipt(digest, matches: false),
            "The receipt does not match this file (\(digest)): the file was changed since.")
        expect(.missing, "The server no longer has it.")
        expect(
            .unknownVersion, "The server does not know the version that it was taken with, so a person rates it.")
        expect(.score(Evaluation(score: 1, maximum: 2)), "Score: 1 of 2.")
        expect(.passed(true), "Passed")
        expect(.passed(false), "Not passed")
        expect(.moreReleased(after: time), "More of the result is shown after \(when).")
        let unreadable = OutboxError.unreadable(path: "f", reason: "no JSON")
        #expect(Explanation.Fact.unreadable(unreadable).words(.russian) == "f cannot be used: no JSON")
        expect(
            .unreadableReceipt(unreadable),
            "f cannot be used: no JSON – the next sync asks the server for it again.")
        for (attempts, words) in [
            (0, "no"), (1, "Tried 1 time, last \(when): no."), (3, "Tried 3 times, last \(when): no."),
        ] {
            let delivery = Receipt.Delivery(
                attempts: attempts, firstAttempt: time, lastAttempt: time, reason: "no", mayHaveArrived: false,
                httpStatus: 507)
            expect(.tried(delivery), words)
        }
    }

    @Test("each next step is a sentence in each language, which names the commands")
    func steps() {
        let (retry, reopen) = ("“quire outbox retry \(Self.test)”", "“quire outbox reopen \(Self.test)”")
        let discard = "“quire outbox discard \(Self.test)”"
        expect(.take(id), "Continue with “quire take \(Self.test)”, or send it with “quire finish \(Self.test)”.")
        expect(.sync, "Sent with the next “quire sync” that reaches the server.")
        expect(.retry(id, after: time), "Tried again after \(time.inWords); \(retry) makes it due now.")
        expect(
            .sending, "Being sent now; if that was interrupted, the next sync sends it again under the same id.")
        expect(.askMedium(.hub), "“quire sync” asks the hub whether the server has it.")
        expect(
            .askReceipt(.test),
            "It has no receipt: the next “quire sync” asks the server for it, and sends the test again where the server has not got it."
        )
        expect(.askReceipt(.media), "It has no receipt: the next “quire sync” asks the server for it.")
        expect(.askRating, "“quire sync” asks for the rating.")
        expect(.sendAgain(id), "\(retry) sends it again; it is never counted twice.")
        expect(.restore(path: "f"), "It cannot go without its file: put it back as f.")
        expect(
            .repair, "Nothing is sent. Repair the file, or run “quire doctor --repair” to move it to quarantine.")
        expect(.correct(id), "Correct it with \(reopen).")
        expect(.takeCorrection(id), "Continue the correction with “quire take \(Self.test)”.")
        expect(.corrected(by: id), "The correction is \(Self.test).")
        expect(.attachment("map.png", .askRating), "map.png: “quire sync” asks for the rating.")
        expect(
            .reopen(id, mayRetry: true),
            "You decide: \(retry), \(reopen) (a new revision) or \(discard).")
        expect(
            .reopen(id, mayRetry: false),
            "You decide: \(reopen) (a new revision of this one) or \(discard).")
        expect(.decide(.retry(id), isDeletedThere: false), "You decide: \(retry) or \(discard).")
        expect(
            .decide(.resolve(id, [.mine, .theirs]), isDeletedThere: true),
            "The server has deleted it. You decide: “quire conflicts” shows the difference, “quire resolve \(Self.test) --mine | --theirs” settles it."
        )
    }

    @Test("a test that cannot begin now is refused with a sentence")
    func refusal() async throws {
        let ground = try await StoreFixture()
        ground.remote.publish(
            "later",
            #"{"id": "later", "title": "Later", "availability": {"opensAt": "2126-01-01T00:00:00Z"}, "questions": [{"id": "q1", "text": "?"}]}"#
        )
        _ = try await ground.store.puller(ground.remote).pull()
        let document = try await ground.store.open(id: "later", remote: nil)
        let refusal = #expect(throws: BeginRefusal.self) { try ground.store.begin(document) }
        #expect(
            refusal?.localizedDescription
                == "“Later” cannot be taken now: It opens at 2126-01-01 00:00 UTC: come back then.")
    }

    @Test("each obstacle names what goes first, with the first digits of its id")
    func obstacles() {
        expect(
            .obstacle(.unwanted),
            "Its questionnaire does not show it any more: the next “quire sync” puts it into quarantine.")
        expect(.obstacle(.owner(OutboxItem(id: id, status: .done))), "It waits for its test, and goes after it.")
        expect(
            .obstacle(.owner(OutboxItem(id: id, kind: .questionnaire, status: .done))),
            "It waits for its questionnaire and is sent after it.")
        expect(
            .obstacle(.predecessor(OutboxItem(id: id, kind: .questionnaire, status: .done))),
            "It waits for the change before it, 11111111, and goes after it.")
        for (kind, name) in [OutboxKind.test: "test", .questionnaire: "change", .media: "attachment"] {
            expect(
                .obstacle(.undecided(OutboxItem(id: id, kind: kind, status: .rejected), nil, .retry(id))),
                "It waits for \(name) 11111111, which stands so: Not accepted. Decide about that first: “quire outbox retry 11111111” or “quire outbox discard 11111111”."
            )
        }
    }
}
