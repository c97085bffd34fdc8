import HTTPTypes
import HummingbirdTesting
import Model
import Testing

@testable import Desk
@testable import Host

@Suite("The screens of the desk")
struct DeskScreenTests {
    private static let script = "<script>alert(1)</script>"

    @Test("hostile names, answers and titles are text on every screen, and safe in CSV", arguments: DeskPlace.allCases)
    func hostile(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let file = Model.Attachment(
            id: .random(), questionId: "essay", name: "\"><img src=x>.svg", mediaType: "image/svg+xml", sizeBytes: 3,
            digest: Digest(sha256Of: [1]))
        let id = try await fixture.deliver(
            person: Self.script, ["q1": "=1+1", "essay": Self.script, "why/not": "\"onmouseover=x"], files: [file])
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            for path in [
                "/desk/", "/desk/q/exam", "/desk/q/exam/results?cells=answers", "/desk/q/exam/statistics",
                "/desk/q/exam/marking", "/desk/q/exam/marking/essay", "/desk/t/\(id)",
                "/desk/q/exam/results?sort=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
            ] {
                let page = try await browser.page(path).withoutOwnScript
                #expect(!page.contains("<script") && !page.contains("<b>7") && !page.contains("<img src=x"), "\(path)")
                #expect(!page.contains("\"onmouseover"), "\(path)")
            }
            let csv = try await browser.get("/desk/q/exam/results.csv")
            #expect(csv.headers[.contentType] == "text/csv; charset=utf-8")
            #expect(csv.headers[.contentDisposition] == "attachment; filename*=UTF-8''exam.csv")
            #expect(csv.text.hasPrefix("\u{FEFF}test,") && csv.text.contains(",'=1+1,"))
        }
    }

    @Test(
        "who has handed in, results and statistics say what the files say; the heads sort",
        arguments: DeskPlace.allCases)
    func tables(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let ada = try await fixture.deliver(person: "Ada", ["q1": "Paris", "essay": "So.", "why/not": "x"])
        try await fixture.deliver(person: "Boris", ["q1": "London"])
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            let handedIn = try await browser.page("/desk/q/exam")
            #expect(handedIn.contains("2 tests, 1 rated, 1 to be marked") && handedIn.contains("/desk/t/\(ada)"))
            #expect(handedIn.contains("1 of 4") && handedIn.contains("0 of 4"))
            func names(_ page: String) -> [String] {
                page.matches(of: #/<th scope="row"><a href="[^"]*" dir="auto">(\w+)</a>/#).map { String($0.output.1) }
            }
            #expect(names(handedIn) == ["Ada", "Boris"])
            let turned = try await browser.page("/desk/q/exam?sort=name&order=desc")
            #expect(names(turned) == ["Boris", "Ada"] && turned.contains("aria-sort=\"descending\""))
            let results = try await browser.page("/desk/q/exam/results?sort=q%3Aq1")
            #expect(names(results) == ["Boris", "Ada"])
            #expect(results.contains("<td class=\"waits\">?</td>"))
            let statistics = try await browser.page("/desk/q/exam/statistics")
            #expect(statistics.contains("role=\"img\"") && statistics.contains("Difficulty"))
            #expect(try await browser.get("/desk/q/none").status == .notFound)
            #expect(try await browser.get("/desk/t/\(TestID.random())").status == .notFound)
            let russian = try await browser.get("/desk/q/exam/statistics", [.acceptLanguage: "ru"])
            #expect(russian.text.contains("Трудность") && russian.text.contains("0,5"))
        }
    }

    @Test("sections have their points for each person, their figures, and a title that is text")
    func sections() async throws {
        let fixture = try DeskFixture()
        let exam = """
            {"id": "exam", "title": "Exam", "answerKey": {"q1": "Paris", "q2": 3}, "sections": [
             {"id": "s1", "title": "<b>Water</b>", "questions": ["q1", "essay"]}, {"id": "s2", "questions": ["q2"]}], "questions": [
             {"id": "q1", "text": "Capital of France?", "options": ["Paris", "London"]},
             {"id": "essay", "text": "Why?", "kind": "text", "points": 2},
             {"id": "q2", "text": "How many?", "kind": "number"}]}
            """
        try fixture.publish(exam)
        let ada = try await fixture.deliver(person: "Ada", ["q1": "Paris", "essay": "So.", "q2": "4"], of: exam)
        try await fixture.deliver(person: "Boris", ["q1": "London", "q2": "3"], of: exam)
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            let results = try await browser.page("/desk/q/exam/results?cells=sections")
            #expect(results.contains("&lt;b&gt;Water&lt;/b&gt;") && !results.contains("<b>Water"))
            #expect(results.contains(">1 of 3 ?<") && results.contains(">0 of 1<") && results.contains(">Section 2<"))
            func names(_ page: String) -> [String] {
                page.matches(of: #/<th scope="row"><a href="[^"]*" dir="auto">(\w+)</a>/#).map { String($0.output.1) }
            }
            #expect(names(results) == ["Ada", "Boris"])
            let sorted = try await browser.page("/desk/q/exam/results?cells=sections&sort=s%3As2&order=desc")
            #expect(names(sorted) == ["Boris", "Ada"] && sorted.contains("aria-sort=\"descending\""))
            let lines = try await browser.get("/desk/q/exam/results.jsonl")
            #expect(lines.headers[.contentDisposition] == "attachment; filename*=UTF-8''exam.jsonl")
            #expect(lines.text.split(separator: "\n").count == 2 && lines.text.contains("\(ada)"))
            let statistics = try await browser.page("/desk/q/exam/statistics")
            #expect(statistics.contains("Section 2") && statistics.contains("&lt;b&gt;Water"))
            try fixture.publish(DeskFixture.exam)
            let plain = try await browser.page("/desk/q/exam/results?cells=sections")
            #expect(!plain.contains("By section") && plain.contains("Capital of France?"))
        }
    }
}

@Suite("Marking on the desk")
struct DeskMarkingTests {
    @Test(
        "a queue by question leads from answer to answer; the last point rates the test", arguments: DeskPlace.allCases)
    func queue(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.teacher)
        let ids = try await fixture.deliver(["Ada", "Boris"]) { ["q1": "Paris", "essay": "Text of \($0)"] }
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key.text, name: "Анна")
            let queue = try await browser.page("/desk/q/exam/marking")
            #expect(queue.contains("/desk/q/exam/marking/essay") && queue.contains("2 to be marked"))
            for id in ids {
                let page = try await browser.page("/desk/q/exam/marking/essay?names=hidden")
                #expect(page.contains("Text of") && page.contains("autofocus"))
                #expect(!page.contains(">Ada<") && !page.contains(">Boris<"))
                let action = "/desk/t/\(id)/marks/essay?names=hidden"
                var form = try DeskBrowser.form(action, in: page)
                #expect(form["back"]?.hasPrefix("/desk/q/exam/marking/essay?names=hidden") == true)
                form["points"] = "many"
                let refused = try await browser.post(action, form)
                #expect(refused.status == .unprocessableContent && !refused.text.contains(">Ada<"))
                #expect(!refused.text.contains(">Boris<"))
                form["points"] = "1,5"
                form["comment"] = "Good."
                let reply = try await browser.post(action, form)
                #expect(reply.status == .seeOther && reply.headers[.location] == form["back"])
            }
            let done = try await browser.get("/desk/q/exam/marking/essay")
            #expect(done.status == .seeOther && done.headers[.location] == "/desk/q/exam/marking")
            let receipt = try #require(try await fixture.handedIn(ids[0])).receipt
            #expect(receipt.status == .rated && receipt.evaluation?.score == 2.5)
            let verdict = receipt.evaluation?.questions[1]
            #expect(verdict?.ratedBy == "Анна" && verdict?.comment == "Good." && verdict?.ratedAt == fixture.clock.now)
        }
    }

    @Test(
        "a mark that another teacher gave meanwhile is shown, and replaced only when that is wanted",
        arguments: DeskPlace.allCases)
    func meanwhile(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.teacher)
        let id = try await fixture.deliver(person: "Ada", ["essay": "So.", "why/not": "x"])
        let action = "/desk/t/\(id)/marks/essay"
        try await fixture.serve { client in
            let (anna, boris) = (
                try await DeskBrowser(client, key: key.text, name: "Anna"),
                try await DeskBrowser(client, key: key.text, name: "Boris")
            )
            var first = try DeskBrowser.form(action, in: try await anna.page("/desk/t/\(id)"))
            let page = try await boris.page("/desk/t/\(id)")
            var second = try DeskBrowser.form(action, in: page)
            // A mark of another question does not get in the way.
            var other = try DeskBrowser.form("/desk/t/\(id)/marks/why%2Fnot", in: page)
            (first["points"], second["points"], other["points"]) = ("2", "0", "1")
            #expect(try await anna.post(action, first).status == .seeOther)
            #expect(try await anna.post(action, first).status == .seeOther, "sent twice is given once")
            #expect(try await boris.post("/desk/t/\(id)/marks/why%2Fnot", other).status == .seeOther)
            let refused = try await boris.post(action, second)
            #expect(refused.status == .conflict && refused.text.contains("Someone else marked"))
            #expect(refused.text.contains("by Anna") && refused.text.contains("value=\"0\""))
            func points() async throws -> Double? {
                try await fixture.handedIn(id)?.receipt.evaluation?.questions[1].points
            }
            #expect(try await points() == 2)
            var again = try DeskBrowser.form(action, in: refused.text)
            again["points"] = "0"
            #expect(try await boris.post(action, again).status == .seeOther)
            #expect(try await points() == 0)
            #expect(try await fixture.history(of: id).count == 3)
        }
    }

    @Test(
        "points that are no number, or too many, keep what was typed; the key's points change with a reason",
        arguments: DeskPlace.allCases)
    func faults(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let id = try await fixture.deliver(person: "Ada", ["q1": "London", "essay": "So."])
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            let page = try await browser.page("/desk/t/\(id)")
            let action = "/desk/t/\(id)/marks/essay"
            for points in ["", "much", "3", "-1", "inf"] {
                var form = try DeskBrowser.form(action, in: page)
                form["points"] = points
                form["comment"] = "Typed <comment>"
                let reply = try await browser.post(action, form)
                #expect(reply.status.code == 422 && reply.text.contains("Typed &lt;comment&gt;"), "\(points)")
            }
            #expect(try await fixture.history(of: id).isEmpty)
            let key = "/desk/t/\(id)/marks/q1"
            var form = try DeskBrowser.form(key, in: page)
            #expect(page.contains("Why the key’s points are changed"))
            form["points"] = "0.5"
            form["reason"] = "The map was old."
            #expect(try await browser.post(key, form).status == .seeOther)
            let after = try await browser.page("/desk/t/\(id)")
            #expect(after.contains("Reason: The map was old.") && after.contains("0.5 of 1"))
            #expect(after.contains("What it was before"))
        }
    }
}

@Suite("After the marks")
struct DeskAfterMarksTests {
    @Test("rating again shows who changes, does it once, and not if something changed since")
    func again() async throws {
        let fixture = try DeskFixture()
        let ada = try await fixture.deliver(person: "Ada", ["q1": "London"])
        let boris = try await fixture.deliver(person: "Boris", ["q1": "Paris"])
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            #expect(try await browser.page("/desk/q/exam/results").contains("href=\"/desk/q/exam/again\""))
            let nothing = try await browser.page("/desk/q/exam/again")
            #expect(
                nothing.contains("Ratings that change: 0")
                    && !nothing.contains("<form method=\"post\" action=\"/desk/q/exam/again\""))
            try fixture.publish(DeskFixture.exam.replacing("\"q1\": \"Paris\"", with: "\"q1\": \"London\""))
            let page = try await browser.page("/desk/q/exam/again")
            #expect(page.contains("Ratings that change: 2") && page.contains("1: 0 → 1") && page.contains("1: 1 → 0"))
            let form = try DeskBrowser.form("/desk/q/exam/again", in: page)
            try await fixture.rate(
                boris, TeacherRating(verdict: .points(question: "q1", 1, maximum: nil), ratedBy: "Анна"))
            let refused = try await browser.post("/desk/q/exam/again", form)
            #expect(refused.status == .conflict && refused.text.contains("nothing was done"))
            #expect(try await fixture.handedIn(ada)?.receipt.evaluation?.score == 0)
            let now = try DeskBrowser.form("/desk/q/exam/again", in: refused.text)
            for _ in 0..<2 {
                let done = try await browser.post("/desk/q/exam/again", now)
                #expect(done.status == .seeOther && done.headers[.location] == "/desk/q/exam/again?done=1")
            }
            #expect(try await browser.page("/desk/q/exam/again?done=1").contains("role=\"status\""))
            #expect(try await fixture.handedIn(ada)?.receipt.evaluation?.score == 1)
            #expect(try await fixture.handedIn(boris)?.receipt.evaluation?.score == 1)
            #expect(try await fixture.history(of: ada).count == 1)
        }
    }

    @Test(
        "a test is sent back with a comment, which can be changed and withdrawn; the chain leads to its correction",
        arguments: DeskPlace.allCases)
    func sendBack(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.teacher)
        let id = try await fixture.deliver(person: "Ada", ["essay": "So."])
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key.text, name: "Анна")
            let action = "/desk/t/\(id)/return"
            var form = try DeskBrowser.form(action, in: try await browser.page("/desk/t/\(id)"))
            form["comment"] = " \r\n"
            #expect(try await browser.post(action, form).status.code == 422)
            form["comment"] = "Say <why>.\r\nPlease."
            for _ in 0..<2 {
                #expect(try await browser.post(action, form).status == .seeOther, "sent twice is given once")
            }
            let receipt = try #require(try await fixture.handedIn(id)).receipt
            #expect(receipt.returned?.comment == "Say <why>.\nPlease." && receipt.returned?.by == "Анна")
            let correction = try await fixture.deliver(person: "Ada", ["essay": "Because."], parent: id)
            let page = try await browser.page("/desk/t/\(id)")
            #expect(page.contains("Say &lt;why&gt;.") && page.contains("href=\"/desk/t/\(correction)\""))
            let corrected = try await browser.page("/desk/t/\(correction)")
            #expect(corrected.contains("href=\"/desk/t/\(id)\"") && corrected.contains("revision 2"))
            #expect(corrected.contains("first version"))
            #expect(try await browser.page("/desk/q/exam").contains("revision 2"))
            var late = form
            late["comment"] = "Something else."
            #expect(try await browser.post(action, late).status == .conflict)
            var withdraw = try DeskBrowser.form(action, in: page)
            withdraw["withdraw"] = "1"
            #expect(try await browser.post(action, withdraw).status == .seeOther)
            #expect(try await fixture.handedIn(id)?.receipt.returned == nil)
        }
    }
}
