import HTTPTypes
import HummingbirdTesting
import Model
import OutboxStore
import Quire
import Testing

@testable import Web

@Suite("An answer on the page is the person's, in whatever version of the questionnaire it is shown")
struct MatchedAnswerTests {
    /// A draft that was taken with a version that is not here: options in another order, others, another kind.
    private func draft(_ fixture: PageFixture, _ answers: [Answer]) throws -> TestID {
        let reference = QuestionnaireReference(
            id: "capitals", title: "Capitals", digest: Digest(sha256Of: Array("another version".utf8)))
        return try fixture.store.outbox.edits.create(reference, deviceID: "tablet", as: .inProgress) {
            $0.answers = answers
        }
        .record.id
    }

    private func stored(_ fixture: PageFixture, _ question: String) throws -> Answer? {
        try fixture.store.tests().first?.record?.answer(to: question)
    }

    @Test(
        "looking at a question and pressing Next leaves its answer as it is, to the letter",
        arguments: [
            // The options in another order, one that is gone, and one that only looks alike.
            (0, Answer(questionId: "q1", value: .one("Rome"), optionIndexes: [0]), "Rome"),
            (0, Answer(questionId: "q1", value: .one("Bonn"), optionIndexes: [1]), "Bonn"),
            (0, Answer(questionId: "q1", value: .one("paris"), optionIndexes: [0]), "paris"),
            // Several where one belongs now, and one that has lines.
            (0, Answer(questionId: "q1", value: .several(["Paris", "Rome"]), optionIndexes: [0, 1]), "Paris\nRome"),
            (0, Answer(questionId: "q1", value: .one("  a\r\n\r\n  b")), "  a\n\n  b"),
            (1, Answer(questionId: "q2", value: .several(["Cyprus", "Atlantis"]), optionIndexes: [0, 1]), "Atlantis"),
            (1, Answer(questionId: "q2", value: .one("Spain")), "Spain"),
            (2, Answer(questionId: "q3", value: .several(["a", "b"]), optionIndexes: [0, 1]), "a\nb"),
            (2, Answer(questionId: "q3", value: .one("\n\n  if x:\r\n\ty\r")), "  if x:"),
            (3, Answer(questionId: "q4", value: .one("many\nlines")), "manylines"),
            (3, Answer(questionId: "q4", value: .several(["1", "2"]), optionIndexes: [0, 1]), "1, 2"),
        ])
    func untouched(_ index: Int, _ answer: Answer, _ seen: String) async throws {
        let fixture = try await PageFixture()
        let test = "/t/\(try draft(fixture, [answer]))"
        try await fixture.serve { browser, _ in
            let page = try await browser.get("\(test)?n=\(index + 1)").text
            #expect(page.contains(seen))
            for go in ["leave", "\(index + 1)", "all"] {
                _ = try await browser.post(test, FormReader.fields(of: page) + [("go", go)])
                #expect(try stored(fixture, answer.questionId) == answer, "\(go)")
            }
            // The script sends the same, and hears that nothing changed.
            let reply = try await browser.post(test, FormReader.fields(of: page), [.accept: "application/json"])
            #expect(reply.status == .ok && !reply.text.contains("\"values\""))
            #expect(try stored(fixture, answer.questionId) == answer)
        }
    }

    @Test(
        "the option that reads like the answer is ticked, wherever it stands; what no option says has a place of its own"
    )
    func ticked() async throws {
        let fixture = try await PageFixture()
        let test =
            "/t/"
            + (try draft(
                fixture,
                [
                    Answer(questionId: "q1", value: .one("Rome"), optionIndexes: [0]),
                    Answer(questionId: "q2", value: .several(["Cyprus", "Atlantis"]), optionIndexes: [0, 1]),
                ])).description
        try await fixture.serve { browser, _ in
            let first = try await browser.get(test + "?n=1").text
            #expect(FormReader.fields(of: first).filter { $0.0 == "a.0" }.map(\.1) == ["1"])
            #expect(!first.contains("not among the options"))
            let second = try await browser.get(test + "?n=2").text
            #expect(FormReader.fields(of: second).filter { $0.0 == "a.1" }.map(\.1) == ["2", "=Atlantis"])
            #expect(second.contains("Your answer. It is not among the options of this version."))
            // Another option is ticked: the own answer stays.
            let fields = FormReader.fields(of: second)
            _ = try await browser.post(test, fields + [("a.1", "0"), ("go", "2")])
            #expect(try stored(fixture, "q2")?.value == .several(["Malta", "Cyprus", "Atlantis"]))
            // Unticked, it is removed by the person's own decision.
            let both = FormReader.fields(of: try await browser.get(test + "?n=2").text)
            #expect(both.filter { $0.0 == "a.1" }.map(\.1) == ["0", "2", "=Atlantis"])
            let reply = try await browser.post(
                test, both.filter { $0.1 != "=Atlantis" }, [.accept: "application/json"]
            ).text
            #expect(reply.contains("\"saved\":true"), "\(reply)")
            #expect(try stored(fixture, "q2")?.value == .several(["Malta", "Cyprus"]), "\(reply) \(both)")
            let after = FormReader.fields(of: try await browser.get(test + "?n=2").text)
            #expect(after.filter { $0.0 == "a.1" }.map(\.1) == ["0", "2"])
        }
    }

    @Test("choosing another option, or pressing Clear, is the decision that replaces an own answer")
    func decided() async throws {
        let fixture = try await PageFixture()
        let test = "/t/\(try draft(fixture, [Answer(questionId: "q1", value: .one("Bonn"), optionIndexes: [1])]))"
        try await fixture.serve { browser, _ in
            let fields = FormReader.fields(of: try await browser.get(test + "?n=1").text)
            _ = try await browser.post(test, fields.filter { $0.0 != "a.0" } + [("a.0", "0"), ("go", "1")])
            #expect(try stored(fixture, "q1") == Answer(questionId: "q1", value: .one("Paris"), optionIndexes: [0]))
            let id = try #require(try fixture.store.tests().first?.item.id)
            let own = Answer(questionId: "q1", value: .one("Bonn"), optionIndexes: [1])
            try fixture.store.outbox.edits.update(id) { $0.record(own) }
            // An own answer that is not stored is no answer; a form that shows another one changes nothing.
            #expect(
                try await browser.post(test, [("shown", "0"), ("was.0", "x"), ("a.0", "=Berlin")]).status == .conflict)
            #expect(try stored(fixture, "q1") == own)
            let now = FormReader.fields(of: try await browser.get(test + "?n=1").text)
            _ = try await browser.post(test, now + [("clear", "0")])
            #expect(try stored(fixture, "q1") == nil)
        }
    }

    @Test("the review lists answers to questions that the version does not have")
    func removedQuestion() async throws {
        let fixture = try await PageFixture()
        let test = "/t/\(try draft(fixture, [Answer(questionId: "gone", value: .one("Still mine"))]))"
        try await fixture.serve { browser, _ in
            let review = try await browser.get(test + "/review").text
            #expect(review.contains("Still mine") && review.contains("this version does not have the question"))
        }
    }

    @Test(
        "a form of another version changes nothing, and the question is shown as it is now", arguments: [false, true])
    func otherVersion(_ isScript: Bool) async throws {
        let fixture = try await PageFixture()
        let test = "/t/\(try draft(fixture, [Answer(questionId: "q1", value: .one("Rome"), optionIndexes: [0])]))"
        try await fixture.serve { browser, _ in
            let page = try await browser.get(test + "?n=1").text
            let form = FormReader.fields(of: page).filter { $0.0 != "of" && $0.0 != "a.0" } + [("of", "other")]
            let reply = try await browser.post(
                test, form + [("a.0", "0"), ("go", "1")], isScript ? [.accept: "application/json"] : [:])
            #expect(reply.status == .conflict)
            #expect(reply.text.contains(isScript ? "\"isOtherVersion\":true" : "Nothing was changed"))
            #expect(try fixture.answer("q1") == "Rome")
        }
    }

    @Test("a form that the browser has emptied on the way back erases nothing, and says so")
    func emptied() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            let page = try await browser.get(test + "?n=3").text
            let blank = FormReader.fields(of: page)
            let filled = blank.map { $0.0 == "a.2" ? ($0.0, "Because") : $0 }
            #expect(try await browser.post(test, filled + [("go", "3")]).status == .seeOther)
            // WebKit puts the page back as it came, with nothing in its fields.
            let reply = try await browser.post(test, blank + [("go", "3")])
            #expect(reply.status == .conflict && reply.text.contains("Nothing was changed"))
            #expect(reply.text.contains(">\nBecause</textarea>"))
            #expect(try fixture.answer("q3") == "Because")
            // Having seen it, the person may clear it.
            let cleared = FormReader.fields(of: reply.text).map { $0.0 == "a.2" ? ($0.0, "") : $0 }
            #expect(try await browser.post(test, cleared + [("go", "3")]).status == .seeOther)
            #expect(try fixture.answer("q3") == nil)
        }
    }

    @Test("a form that does not say what it showed, or has no field for an answer, overwrites none")
    func unsaid() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            _ = try await browser.post(test, [("shown", "2"), ("was.2", "-"), ("a.2", "Mine")])
            #expect(try await browser.post(test, [("shown", "2"), ("a.2", "Another")]).status == .conflict)
            let mark = try #require(try await browser.get(test + "?n=3").text.value(of: "was.2"))
            _ = try await browser.post(test, [("shown", "2"), ("was.2", mark)])
            #expect(try fixture.answer("q3") == "Mine")
        }
    }

    @Test(
        "Next stays at a number that is none or either of two, says why beside it, and keeps what was written",
        arguments: [
            ("many", "en", "“many” is not a number"),
            ("1,500", "en", "“1,500” may mean 1.5 or 1500: write 1500 or 1.5."),
            ("1,500", "ru", "«1,500» можно понять как 1.5 или 1500: напишите 1500 или 1.5."),
        ])
    func wrongNumber(_ typed: String, _ language: String, _ words: String) async throws {
        let fixture = try await PageFixture()
        fixture.remote.publish(
            "count",
            #"{"id": "count", "title": "C", "questions": [{"id": "q4", "text": "N?", "kind": "number"}, {"id": "z", "text": "Z"}]}"#
        )
        _ = try await fixture.store.puller(fixture.remote).pull()
        try await fixture.serve(language: language) { browser, _ in
            let test = try await browser.post("/q/count/begin").location
            let form = FormReader.fields(of: try await browser.get(test + "?n=1").text).filter { $0.0 != "a.0" }
            #expect(try await browser.post(test, form + [("a.0", typed), ("go", "1")]).location == test + "?n=1#q0")
            #expect(try fixture.answer("q4") == typed)
            let page = try await browser.get(test + "?n=1").text
            #expect(
                page.contains(words) && page.contains("aria-invalid=\"true\"") && page.contains("value=\"\(typed)\""))
            // Its button still leads on, the others lead where they say.
            let again = FormReader.fields(of: page)
            #expect(try await browser.post(test, again + [("go", "1")]).location == test + "?n=1#q0")
            #expect(try await browser.post(test, again + [("go", "leave")]).location == "/")
            // The script hears the reason with every save, and that it is gone.
            let json: HTTPFields = [.accept: "application/json"]
            let heard = try await browser.post(test, again + [("go", "1")], json)
            #expect(heard.text.contains(typed) && heard.text.contains("\"fault\"") && !heard.text.contains("\"go\""))
            let right = again.map { $0.0 == "a.0" ? ($0.0, "1 500") : $0 }
            let saved = try await browser.post(test, right, json)
            #expect(!saved.text.contains("\"fault\"") && saved.text.contains("\"storedAs\":\"1500\""))
            let last = FormReader.fields(of: try await browser.get(test + "?n=1").text)
            #expect(try await browser.post(test, last + [("go", "1")]).location == test + "?n=2#q1")
            #expect(try fixture.answer("q4") == "1500")
        }
    }
}

/// What a browser sends of a page's form when nothing was touched.
enum FormReader {
    static func fields(of page: String) -> [(String, String)] {
        guard let start = page.firstRange(of: "<form id=\"test\""),
            let end = page[start.upperBound...].firstRange(of: "</form>")
        else { return [] }
        let form = page[start.upperBound..<end.lowerBound]
        var fields: [(String, String)] = []
        for tag in form.split(separator: "<").map(String.init) {
            guard let name = attribute("name", of: tag) else { continue }
            if tag.hasPrefix("input") {
                let isTick = tag.contains("type=\"radio\"") || tag.contains("type=\"checkbox\"")
                if isTick, !tag.prefix(while: { $0 != ">" }).hasSuffix(" checked") { continue }
                if tag.prefix(while: { $0 != ">" }).hasSuffix(" disabled") { continue }
                let isLine = !isTick && !tag.contains("type=\"hidden\"")
                fields.append((name, sent(attribute("value", of: tag) ?? "", isLine: isLine)))
            } else if tag.hasPrefix("textarea"), let text = tag.split(separator: ">", maxSplits: 1).last {
                let written = tag.contains(">") && !tag.hasSuffix(">") ? unescaped(String(text)) : ""
                fields.append(
                    (name, sent(String(written.dropFirst(written.first?.isNewline == true ? 1 : 0)), isLine: false)))
            }
        }
        return fields.filter { $0.0 != "token" }
    }

    /// Line ends as a browser sends them; a field of one line has none.
    private static func sent(_ text: String, isLine: Bool) -> String {
        let plain = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        return isLine ? plain.filter { $0 != "\n" } : plain.replacing("\n", with: "\r\n")
    }

    private static func attribute(_ name: String, of tag: String) -> String? {
        guard let start = tag.firstRange(of: " \(name)=\"") else { return nil }
        return unescaped(String(tag[start.upperBound...].prefix { $0 != "\"" }))
    }

    private static func unescaped(_ text: String) -> String {
        text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
}
