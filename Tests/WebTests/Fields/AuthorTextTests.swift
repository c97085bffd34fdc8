import Model
import Testing

@testable import Web

@Suite("Texts that their author formatted")
struct AuthorTextTests {
    private func serve(
        _ document: String, _ body: @Sendable @escaping (Browser, String) async throws -> Void
    ) async throws {
        let fixture = try await PageFixture()
        fixture.remote.publish("one", document)
        _ = try await fixture.store.puller(fixture.remote).pull()
        try await fixture.serve { browser, _ in
            try await body(browser, try await browser.post("/q/one/begin").location)
        }
    }

    private static let formatted = #"""
        {"id": "one", "title": "A *title*", "description": "For *you*.", "textFormat": "markdown", "questions": [
          {"id": "q1", "text": "What does it **print**?\n\n```\nif x:\n    print( 1 )\n```", "options": ["`x  =  1`", "$\\frac{a}{2}$"]},
          {"id": "q2", "text": "```\ny\n```\n\nWhy?", "kind": "text", "hint": "*Short.*"}]}
        """#

    @Test("a heading, code, options and the description are formatted, the title is not")
    func question() async throws {
        try await serve(Self.formatted) { browser, test in
            let about = try await browser.get("/q/one").text
            #expect(about.contains(#"<div class="lead formatted" dir="auto"><p>For <em>you</em>.</p></div>"#))
            #expect(about.contains(">A *title*</h1>"))
            // A list has words alone.
            #expect(try await browser.get("/").text.contains(#"<p class="quiet clamp" dir="auto">For you.</p>"#))
            let page = try await browser.get(test + "?view=all").text
            #expect(
                page.contains(
                    #"<h2 id="h0" class="formatted" dir="auto"><span class="number" aria-hidden="true">1</span>"#
                        + "<span>What does it <strong>print</strong>?</span></h2>"))
            #expect(page.contains("<pre dir=\"ltr\" tabindex=\"0\"><code>if x:\n    print( 1 )</code></pre>"))
            #expect(
                page.contains(#"<span class="formatted" dir="auto"><code dir="ltr">x  =  1</code></span></label>"#))
            #expect(page.contains(#"<math alttext="\frac{a}{2}">"#))
            // A question without a heading of its own has its place for one.
            #expect(page.contains("<span>Question 2 of 2</span></h2>"))
            #expect(page.contains(#"<div class="hint formatted" dir="auto"><p><em>Short.</em></p></div>"#))
        }
    }

    @Test("a review has lines of words, a result has the options as they were, and an answer is never formatted")
    func answers() async throws {
        try await serve(Self.formatted) { browser, test in
            let given = "**no** `code` $x$ <b>"
            _ = try await browser.post(
                test,
                [
                    ("shown", "0"), ("was.0", "-"), ("a.0", "0"), ("shown", "1"), ("was.1", "-"), ("a.1", given),
                    ("view", "all"), ("go", "review"),
                ])
            let review = try await browser.get(test + "/review").text
            #expect(review.contains(">What does it print? if x: print( 1 )</span>"))
            #expect(review.contains(#"<span class="given" dir="auto">x = 1</span>"#))
            #expect(review.contains("**no** `code` $x$ &lt;b&gt;</span>"))
            let shown = try #require(review.firstMatch(of: #/name="shown" value="([^"]*)"/#)?.1)
            #expect(try await browser.post(test + "/finish", [("shown", String(shown))]).status == .seeOther)
            let report = try await browser.get(test).text
            #expect(report.contains("<strong>print</strong>") && report.contains("<pre dir=\"ltr\""))
            #expect(
                report.contains(
                    #"<ul class="given formatted" dir="auto"><li><code dir="ltr">x  =  1</code></li></ul>"#))
            #expect(report.contains(#"<p class="given" dir="auto">**no** `code` $x$ &lt;b&gt;</p>"#))
        }
    }

    @Test(
        "a plain questionnaire has the HTML that it always had, whatever marks are in it",
        arguments: ["", #""textFormat": "plain","#, #""textFormat": "rtf","#])
    func plain(_ field: String) async throws {
        let document = """
            {"id": "one", "title": "T", \(field) "description": "For *you*.", "locale": "en", "questions": [
              {"id": "q1", "text": "What is **it**?\\n\\n```\\n  x\\n```", "options": ["*a*", "$b$"]}]}
            """
        try await serve(document) { browser, test in
            #expect(
                try await browser.get("/q/one").text.contains(
                    #"<p class="lead" dir="auto" lang="en">For *you*.</p>"# + "\n"))
            let page = try await browser.get(test).text
            #expect(
                page.contains(
                    #"<h2 id="h0" dir="auto" lang="en"><span class="number" aria-hidden="true">1</span>"#
                        + "<span>What is **it**?\n\n```\n  x\n```</span></h2>\n"))
            #expect(
                page.contains(
                    #"<label class="option"><input type="radio" name="a.0" value="0">"#
                        + #"<span dir="auto" lang="en">*a*</span></label>"# + "\n"))
            _ = try await browser.post(test, [("shown", "0"), ("was.0", "-"), ("a.0", "0"), ("go", "review")])
            let review = try await browser.get(test + "/review").text
            #expect(
                review.contains(
                    #"<span class="asked" dir="auto" lang="en">"# + "What is **it**?\n\n```\n  x\n```</span>"
                        + #"<span class="given" dir="auto" lang="en">*a*</span>"#))
            #expect(!page.contains("formatted") && !review.contains("formatted"))
        }
    }

    @Test(
        "texts of a language that is written from the right run from there",
        arguments: [
            ("ar", "rtl"), ("he-IL", "rtl"), ("fa", "rtl"), ("az-Arab", "rtl"), ("ar-Latn", "auto"), ("ru", "auto"),
            ("", "auto"), ("arn", "auto"),
        ])
    func direction(_ locale: String, _ direction: String) async throws {
        let document = """
            {"id": "one", "title": "T", "locale": "\(locale)", "questions": [
              {"id": "q1", "text": "HTML?", "options": ["1", "2"]}]}
            """
        try await serve(document) { browser, test in
            let page = try await browser.get(test).text
            #expect(page.contains("<h2 id=\"h0\" dir=\"\(direction)\""))
            #expect(page.contains("<div class=\"options\" dir=\"\(direction == "rtl" ? "rtl" : "ltr")\""))
            #expect(try await browser.get(test + "/review").text.contains("class=\"asked\" dir=\"\(direction)\""))
        }
    }
}
