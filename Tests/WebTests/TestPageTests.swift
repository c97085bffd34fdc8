import HTTPTypes
import HummingbirdTesting
import Model
import Quire
import ServedApplication
import Simulation
import Testing

@testable import Web

@Suite("A test on the page, without a script")
struct TestPageTests {
    @Test("from the search to a rated result, by forms alone", arguments: Way.allCases)
    func mainJob(_ way: Way) async throws {
        let fixture = try await PageFixture()
        fixture.remote.setStatusOnArrival(.rated)
        try await fixture.serve(way) { browser, _ in
            #expect(try await browser.get("/?q=CAPITAL").text.contains("href=\"/q/capitals\""))
            #expect(try await browser.get("/q/capitals").text.contains("Start"))
            let test = try await browser.post("/q/capitals/begin").location
            let first = try await browser.get(test)
            #expect(first.text.contains("What is the capital of France?") && !first.text.contains("Which are islands?"))
            #expect(
                try await browser.post(test, [("shown", "0"), ("was.0", "-"), ("a.0", "0"), ("at", "0"), ("go", "1")])
                    .location == "\(test)?n=2#q1")
            // Where it was left is where it goes on.
            #expect(try await browser.get(test).text.contains("Which are islands?"))
            _ = try await browser.post(test, [("shown", "1"), ("was.1", "-"), ("a.1", "0"), ("a.1", "2"), ("go", "2")])
            _ = try await browser.post(test, [("shown", "2"), ("was.2", "-"), ("a.2", "Two\r\nlines"), ("go", "3")])
            let review = try await browser.post(
                test, [("shown", "3"), ("was.3", "-"), ("a.3", "1,5"), ("go", "review")]
            ).location
            let reviewed = try await browser.get(review).text
            #expect(
                reviewed.contains("Malta, Cyprus") && reviewed.contains("1.5") && reviewed.contains(">Send</button>"))
            let done = try await browser.post(test + "/finish").location
            #expect(done == test)
            // What the button said is under way; asking for it too makes sure that it is over.
            _ = try await browser.post("/sync")
            #expect(fixture.remote.tests.count == 1)
            #expect(try await browser.get(test).text.contains("Rated"))
            #expect(try await browser.get("/results").text.contains("Capitals"))
        }
    }

    @Test("offline the button says so, and the test waits; nothing is lost and nothing is sent twice")
    func offline() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(isOnline: false) { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            _ = try await browser.post(test, [("shown", "0"), ("a.0", "0"), ("go", "review")])
            #expect(try await browser.get(test + "/review").text.contains("Save, send when connected"))
            _ = try await browser.post(test + "/finish")
            #expect(try await browser.get("/outbox").text.contains("Saved locally"))
            #expect(try await browser.post("/sync", [("back", "/outbox")]).location == "/outbox")
            #expect(try await browser.get("/outbox").text.contains("No connection"))
            fixture.remote.setPresence(.likely)
            for _ in 0..<3 { _ = try await browser.post("/sync") }
            #expect(fixture.remote.tests.count == 1 && fixture.remote.arrivals.count == 1)
        }
    }

    @Test("every form may be sent twice")
    func doubles() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            async let one = browser.post("/q/capitals/begin").location
            async let other = browser.post("/q/capitals/begin").location
            let test = try await one
            #expect(try await other == test)
            for _ in 0..<2 {
                _ = try await browser.post(test, [("shown", "0"), ("was.0", "-"), ("a.0", "0"), ("go", "review")])
            }
            async let finished = browser.post(test + "/finish")
            async let again = browser.post(test + "/finish")
            #expect(try await finished.location == test)
            #expect(try await again.location == test)
            for _ in 0..<2 { #expect(try await browser.post(test + "/retry").location == test) }
            _ = try await browser.post("/sync")
            #expect(fixture.remote.tests.count == 1)
            // A late answer of another tab changes nothing any more, and is shown beside the result.
            let late = try await browser.post(test, [("shown", "0"), ("a.0", "1"), ("go", "1")])
            #expect(late.status == .conflict && late.text.contains("Typed in this browser, but not part of the test"))
            #expect(fixture.remote.tests.count == 1)
            let revision = try await browser.post(test + "/reopen").location
            #expect(try await browser.post(test + "/reopen").location == revision && revision != test)
            for _ in 0..<2 {
                #expect(try await browser.post(revision + "/discard").location == "/outbox")
            }
        }
    }

    @Test("what another window answered meanwhile is never overwritten without a word")
    func windows() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            _ = try await browser.post(test, [("shown", "2"), ("was.2", "-"), ("a.2", "from the first"), ("go", "2")])
            // The second still shows no answer, and sends another one.
            let refused = try await browser.post(
                test, [("shown", "2"), ("was.2", "-"), ("a.2", "from the second"), ("go", "3")])
            #expect(refused.status == .conflict)
            #expect(
                refused.text.contains("changed elsewhere") && refused.text.contains("from the first")
                    && refused.text.contains("from the second"))
            #expect(try fixture.answer("q3") == "from the first")
            // It did not touch the question: what is there holds.
            #expect(
                try await browser.post(test, [("shown", "2"), ("was.2", "-"), ("a.2", ""), ("go", "3")]).status
                    == .seeOther)
            #expect(try fixture.answer("q3") == "from the first")
            // Having seen it, the person decides.
            let mark = try #require(refused.text.value(of: "was.2"))
            #expect(
                try await browser.post(
                    test, [("shown", "2"), ("was.2", mark), ("a.2", "from the second"), ("go", "3")]
                ).status == .seeOther)
            #expect(try fixture.answer("q3") == "from the second")
        }
    }

    @Test("a time limit beyond all measure counts down, one that is not positive is none")
    func timeLimits() async throws {
        let fixture = try await PageFixture()
        for (id, limit) in [("endless", Int.max), ("none", 0), ("negative", -5)] {
            fixture.remote.publish(
                id,
                """
                {"id": "\(id)", "title": "T", "timeLimitSeconds": \(limit), "questions": [{"id": "q", "text": "Q"}]}
                """)
        }
        _ = try await fixture.store.puller(fixture.remote).pull()
        try await fixture.serve { browser, _ in
            for id in ["endless", "none", "negative"] {
                let test = try await browser.post("/q/\(id)/begin").location
                for page in ["/q/\(id)", test, test + "/review"] {
                    let reply = try await browser.get(page)
                    #expect(reply.status == .ok, "\(page)")
                    let isTimed = id == "endless" && page == test
                    #expect(reply.text.contains("class=\"clock\"") == isTimed, "\(page)")
                    #expect(reply.text.contains(" left</span>") == isTimed, "\(page)")
                }
            }
        }
    }

    @Test(
        "numbers beyond all measure in an address or a form end no program",
        arguments: [Int.min, .min + 1, .max, -1, 0])
    func hostileNumbers(_ number: Int) async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            for path in ["/?page=", "/tests?page=", "/results?page=", "\(test)?n=", "\(test)/files/"] {
                #expect([.ok, .notFound].contains(try await browser.get(path + "\(number)").status), "\(path)")
            }
            for fields in [
                [("shown", "1"), ("go", "flag-\(number)")], [("shown", "1"), ("go", "files-\(number)")],
                [("shown", "1"), ("go", "\(number)")], [("shown", "\(number)"), ("at", "\(number)")],
            ] {
                #expect(try await browser.post(test, fields).status == .seeOther, "\(fields)")
            }
            #expect(try await browser.get("/").status == .ok)
        }
    }

    @Test("a required question and a number that is none stand in the way of finishing, and say so")
    func incomplete() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            _ = try await browser.post(test, [("shown", "3"), ("a.3", "many"), ("go", "review")])
            let review = try await browser.get(test + "/review").text
            #expect(review.contains("Question 1 still needs an answer") && review.contains("is not a number"))
            // Only a rated test shows correct and wrong answers.
            #expect(!review.contains("<p class=\"mark"))
            #expect(!review.contains("/finish\" class=\"final\"><button"))
            #expect(try await browser.post(test + "/finish").location == test + "/review")
            #expect(try fixture.store.tests().allSatisfy { $0.item.status.isDraft })
        }
    }

    @Test("an option that there is not is refused, and nothing is changed")
    func wrongOption() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            for value in ["2", "-1", "x", "999999999999999999999"] {
                #expect(try await browser.post(test, [("shown", "0"), ("a.0", value)]).status == .unprocessableContent)
            }
            #expect(try await browser.post(test, [("shown", "77"), ("a.77", "x"), ("go", "77")]).status == .seeOther)
            #expect(try fixture.store.tests().first?.record?.answers.isEmpty == true)
        }
    }

    @Test("the script's saving hears what holds now")
    func saving() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            let place = #"{"question":"q3","cursor":4,"scroll":120}"#
            let reply = try await browser.post(
                test, [("shown", "2"), ("was.2", "-"), ("a.2", "Half a wo"), ("place", place)],
                [.accept: "application/json"])
            #expect(reply.status == .ok && reply.headers[.contentType] == "application/json")
            #expect(reply.text.contains("\"answered\":\"1 of 4 answered\""))
            // Saving leads nowhere: a typing person stays.
            #expect(!reply.text.contains("\"go\""))
            let record = try #require(try fixture.store.tests().first?.record)
            #expect(record.resume == ResumePosition(question: "q3", scroll: 120, cursor: 4))
            let conflict = try await browser.post(
                test, [("shown", "2"), ("was.2", "-"), ("a.2", "Other")], [.accept: "application/json"])
            #expect(
                conflict.status == .conflict && conflict.text.contains("\"isConflict\":true")
                    && conflict.text.contains("Half a wo"))
        }
    }
}

extension PageFixture {
    func answer(_ question: String) throws -> String? {
        try store.tests().first?.record?.answer(to: question)?.texts.first
    }
}

extension String {
    /// The value of a hidden field.
    func value(of name: String) -> String? {
        guard let start = firstRange(of: "name=\"\(name)\" value=\"") else { return nil }
        return String(self[start.upperBound...].prefix { $0 != "\"" })
    }
}
