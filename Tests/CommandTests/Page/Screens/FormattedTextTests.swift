import Foundation
import Testing

/// Markdown of authors in a real browser.
@Suite(
    "Formatted texts on the page and in the app", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct FormattedTextTests {
    private static let code = "if x:\n    print( 1 )\n\n\ty  =  2"
    private static let formatted = #"""
        {"id": "short", "title": "Short one", "description": "It is *formatted*.", "textFormat": "markdown", "questions": [
        {"id": "q1", "text": "Is it **so**?\n\n```python\nif x:\n    print( 1 )\n\n\ty  =  2\n```\n\n| Sign | A very long head of a column | Another very long head | One more very long head |\n|---|---:|---|---|\n| $\\frac{a}{2}$ | 12345678901234567890 | abcdefghijklmnopqrstuvwxyz | abcdefghijklmnopqrstuvwxyz |\n\nSee [the site](https://example.org/a?b=1) and [that](javascript:window.hit=1).",
         "options": ["`x  =  1`", "no"]},
        {"id": "q2", "text": "Why?", "kind": "text", "hint": "In *a few* words."},
        {"id": "q3", "text": "How many?", "kind": "number"}]}
        """#

    /// A question with code, a table, a formula and links, on a narrow screen.
    private func expectQuestion(_ browser: Browser) throws {
        func value(_ script: String) throws -> String? { try browser.script("return " + script).text }
        #expect(try value("document.querySelector('pre code').textContent") == Self.code)
        #expect(try value("document.querySelector('pre code').innerText") == Self.code)
        #expect(try value("getComputedStyle(document.querySelector('pre code')).fontFamily")?.contains("mono") == true)
        #expect(try value("getComputedStyle(document.querySelector('pre code')).whiteSpace") == "pre")
        #expect(try value("document.querySelector('h2 strong').textContent") == "so")
        #expect(try value("document.querySelector('td.right').textContent") == "12345678901234567890")
        #expect(
            try value("document.querySelector('td mfrac').namespaceURI") == "http://www.w3.org/1998/Math/MathML")
        // The table scrolls, the page does not.
        #expect(
            try browser.script(
                "const table = document.querySelector('.table'); return table.scrollWidth > table.clientWidth")
                == .bool(true))
        #expect(
            try browser.script("return document.documentElement.scrollWidth <= innerWidth") == .bool(true))
        let links = try browser.script(
            "return [...document.querySelectorAll('.question .formatted a')].map(a => [a.href, a.target, a.rel].join(' '))"
        )
        #expect(links.texts == ["https://example.org/a?b=1 _blank noopener noreferrer nofollow"])
        #expect(try browser.text(".destination") == "(https://example.org/a?b=1)")
        #expect(try value("document.querySelector('.option code').innerText") == "x  =  1")
    }

    private func expectResult(_ browser: Browser) throws {
        #expect(try browser.script("return document.querySelector('.answers pre code').innerText").text == Self.code)
        #expect(try browser.script("return document.querySelector('.given code').textContent").text == "x  =  1")
        // What a person wrote is never formatted.
        let given = try browser.script("return [...document.querySelectorAll('.given')].map(one => one.innerHTML)")
        #expect(given.texts.last == "**not** `so` $x$")
    }

    @Test("the page shows code, tables, formulas and links, on a phone too, and never formats an answer")
    func page() throws {
        let world = try PageWorld(width: 400, height: 800, questionnaires: [Self.formatted])
        let browser = world.browser
        try browser.see("Short one", in: "#list")
        try browser.click(".item h2 a")
        try browser.see("It is formatted.")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Is it so?")
        try expectQuestion(browser)
        try browser.click("input[name='a.0'][value='0']")
        try browser.click(".steps .main")
        #expect(try browser.text(".hint em") == "a few")
        try browser.type("**not** `so` $x$", into: "#a1")
        try browser.click(".steps .main")
        try browser.see("How many?")
        #expect(try !browser.text("main").contains("undefined"))
        try browser.click(".steps .main")
        try browser.see("**not** `so` $x$")
        #expect(try browser.text(".lines .given") == "x = 1")
        try browser.click(".final .main")
        try browser.see("Sent", in: ".state-words")
        try expectResult(browser)
        let id = try #require(world.host.tests.first)
        let stored = try JSON(parsing: Files.text("\(world.host.data)/tests/\(id).test.json"))
        #expect(stored["answers"].elements.first?["answer"].text == "`x  =  1`")
        try world.close()
    }

    @Test("the app shows the same, without the hub too")
    func app() throws {
        let world = try PhoneWorld([Self.formatted], width: 400, height: 800)
        let id = try world.begin(first: "Is it so?")
        try expectQuestion(world.browser)
        try world.waitForWorker()
        try world.hub.stop()
        try world.restartBrowser()
        try world.browser.open(world.address + "#/t/\(id)")
        try world.browser.see("Is it so?")
        try expectQuestion(world.browser)
        try world.browser.click(PhoneWorld.option(0, 0))
        try world.browser.click("#forward")
        #expect(try world.browser.text(".hint em") == "a few")
        try world.browser.type("**not** `so` $x$", into: "#a1")
        try world.waitForAnswer(id, "q2", "**not** `so` $x$")
        try world.browser.click("#forward")
        try world.browser.see("How many?")
        #expect(try !world.browser.text("main").contains("undefined"))
        try world.browser.click("#forward")
        try world.browser.see("**not** `so` $x$")
        #expect(try world.browser.text(".lines .given") == "x = 1")
        try world.hub.start()
        try world.browser.click("#send")
        try world.browser.see("Sent", in: ".state-words")
        try expectResult(world.browser)
        #expect(try world.stored(id)["record"]["answers"].elements.first?["answer"].text == "`x  =  1`")
        try world.close()
    }

    @Test("the app makes no element of a tree that a text does not have, and no link but of the web")
    func elements() throws {
        let world = try PhoneWorld()
        let made = try world.browser.asyncScript(
            """
            const done = arguments[0];
            (async () => {
              const { textsOf } = await import('./formatted.js');
              const tree = { line: 'x', heading: null, body: [
                ['script', {}, 'window.hit = 1'], ['img', { src: 'x', onerror: 'window.hit = 2' }], ['p', { onclick: 'window.hit = 3', style: 'color: red', id: 'main' }, 'a'],
                ['a', { href: 'javascript:window.hit = 4' }, 'b'], ['a', { href: 'https://example.org/' }, 'c'], ['iframe', { srcdoc: '<script>' }], ['math', {}, ['mi', { href: 'javascript:0' }, 'd']], 5, null, [],
              ] };
              const texts = textsOf({ formatted: { passages: new Map([['t', tree]]), lines: new Map() } });
              const [, body] = texts.question(0, 't', 'Question 1');
              document.body.append(body);
              done(body.innerHTML);
            })().catch(error => done(String(error)));
            """)
        #expect(
            made.text == "window.hit = 1<p>a</p><a>b</a>"
                + #"<a href="https://example.org/" target="_blank" rel="noopener noreferrer nofollow">c</a>"#
                + "<math><mi>d</mi></math>")
        #expect(try world.browser.script("return window.hit ?? null") == .null)
        try world.close()
    }
}
