import Model
import Testing

@testable import Web

@Suite("A file is an answer on the page")
struct FileAnswerTests {
    @Test("a required question that a photo answers counts as answered, and the review sends the test")
    func required() async throws {
        let fixture = try await PageFixture()
        fixture.remote.publish(
            "well",
            """
            {"id": "well", "title": "Well", "questions": [
              {"id": "q1", "text": "Take a photo of the well", "required": true}, {"id": "q2", "text": "Remarks"}]}
            """)
        _ = try await fixture.store.puller(fixture.remote).pull()
        let opened = try await fixture.store.open(id: "well", remote: fixture.remote, isOffline: true)
        let draft = try fixture.store.begin(opened).record.id
        try await fixture.serve(isOnline: false) { browser, _ in
            let before = try await browser.get("/t/\(draft)/review").text
            #expect(before.contains("Question 1 still needs an answer") && !before.contains("<button class=\"main\""))
            var pieces = [Array("photo".utf8)]
            let spooled = try fixture.store.outbox.media.spool(named: "well.jpg") { pieces.popLast() ?? [] }
            _ = try fixture.store.testAttachments.attach(
                spooled, to: draft, questionId: "q1", name: "well.jpg", mediaType: nil)
            let test = try await browser.get("/t/\(draft)?n=1").text
            #expect(test.contains("1 of 2 answered") && test.contains("Question 1, answered"))
            let review = try await browser.get("/t/\(draft)/review").text
            #expect(review.contains("<button class=\"main\"") && review.contains("1 question has no answer"))
            #expect(review.contains("well.jpg") && !review.contains("still needs an answer"))
            #expect(try await browser.post("/t/\(draft)/finish").location == "/t/\(draft)")
            #expect(try fixture.store.outbox.find(draft)?.status == .done)
        }
    }

    @Test("lists show the first answers of drafts, and the result page that the time limit was exceeded")
    func listed() async throws {
        let fixture = try await PageFixture()
        fixture.remote.publish(
            "visit",
            #"{"id": "visit", "title": "Visit", "timeLimitSeconds": 60, "questions": [{"id": "q1", "text": "House?"}]}"#
        )
        _ = try await fixture.store.puller(fixture.remote).pull()
        let opened = try await fixture.store.open(id: "visit", remote: fixture.remote, isOffline: true)
        let drafts = try ["FIRST-HOUSE", "SECOND <b>HOUSE"].map {
            try fixture.store.take(opened, answers: ["q1": .one($0)], isFinished: false).record.id
        }
        fixture.disk.clock.advance(by: .seconds(100))
        try await fixture.serve(isOnline: false) { browser, _ in
            for page in ["/outbox", "/q/visit"] {
                let text = try await browser.get(page).text
                #expect(text.contains("FIRST-HOUSE") && text.contains("SECOND &lt;b&gt;HOUSE"), "\(page)")
            }
            _ = try await browser.post("/t/\(drafts[0])/finish")
            let report = try await browser.get("/t/\(drafts[0])").text
            #expect(report.contains("The time limit of 1 min was exceeded: it took 1 min 40 s"))
        }
    }
}
