import Foundation
import Testing

/// The app under attack, its arithmetic, and whether everybody can use it.
@Suite(
    "The app for phones is safe, and for everybody", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneSafetyTests {
    private static func evil(_ format: String) -> String {
        """
        {"textFormat": "\(format)", "id": "../evil/#\\"'", "title": "<script>window.hit=1</script><img src=x onerror='window.hit=2'>",
        "description": "</p><svg onload='window.hit=3'>", "locale": "\\"><script>window.hit=4</script>", "questions": [
        {"id": "\\"><script>window.hit=5</script>", "text": "</h2><script>window.hit=6</script>\\n\\n[a](javascript:window.hit=21) ![b](javascript:window.hit=22) <javascript:window.hit=23> `</code><script>window.hit=24</script>` $\\\\text{</mtext><script>window.hit=25</script><img src=x onerror=window.hit=26>}$\\n\\n```\\n</pre><svg onload='window.hit=27'>\\n```",
         "options": ["<img src=x onerror='window.hit=7'>", "\\" onfocus='window.hit=8' autofocus x=\\""],
         "media": [{"path": "javascript:window.hit=9", "alt": "\\" onload='window.hit=10'"},
          {"path": "https://evil.example/x.png"}, {"path": "//evil.example/x.png"},
          {"path": "../../_hub/status", "type": "image/png"}, {"path": "data:text/html,<script>window.hit=14</script>"}]},
        {"id": "__proto__", "text": "</textarea><script>window.hit=11</script>", "kind": "text"}]}
        """
    }

    @Test(
        "a hostile questionnaire runs nothing and asks nothing of other servers, on any screen",
        arguments: ["plain", "markdown"])
    func hostile(_ format: String) throws {
        let world = try PhoneWorld([Self.evil(format)])
        let browser = world.browser
        func expectNothing() throws {
            #expect(try browser.script("return window.hit ?? null") == .null)
            #expect(try browser.script("return document.scripts.length") == .number(1))
            #expect(
                try browser.script(
                    "return document.querySelectorAll('main [onerror], main [onload], main [onfocus], main script, main svg').length"
                ) == .number(0))
            #expect(
                try browser.script(
                    "return [...document.querySelectorAll('main [src], main [href]')].map(e => e.src || e.href).filter(a => !a.startsWith(location.origin + '/_hub/app/') && !a.startsWith('blob:'))"
                ).elements.isEmpty)
            #expect(
                try browser.script(
                    "return performance.getEntriesByType('resource').map(e => e.name).filter(a => !a.startsWith(location.origin) && !a.startsWith('blob:'))"
                ).elements.isEmpty)
        }
        let id = try world.begin("<script>window.hit=1</script>", first: "<script>window.hit=6</script>")
        try browser.see("Not on this device")
        try expectNothing()
        try browser.click(PhoneWorld.option(0, 0))
        try browser.click("#forward")
        try browser.type("</textarea><script>window.hit=12</script>", into: "textarea")
        try world.waitForAnswer(id, "__proto__", "</textarea><script>window.hit=12</script>")
        try expectNothing()
        try browser.click("#forward")
        try browser.see("window.hit=12")
        try expectNothing()
        try browser.click("#send")
        try browser.see("Sent", in: ".state-words")
        try expectNothing()
        for hash in ["#/", "#/outbox", "#/results", "#/settings", "#/q/%3Cscript%3E", "#/t/__proto__", "#/q/%E0%A4%A"] {
            try world.goTo(hash)
            _ = try browser.find("main h1, main .empty")
            try expectNothing()
        }
        // Not even the app's own code can insert HTML or a script.
        #expect(
            try browser.script("try { document.body.innerHTML = '<b>'; return 'done' } catch (e) { return e.name }")
                == .string("TypeError"))
        try world.close()
    }

    @Test("the digest that is computed without the browser's own is SHA-256, at every length around its blocks")
    func digests() throws {
        let world = try PhoneWorld()
        let wrong = try world.browser.asyncScript(
            """
            const done = arguments[0];
            (async () => {
              const { sha256, sha256Here } = await import('./store.js');
              const wrong = [];
              for (let length = 0; length < 200; length++) {
                const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 255);
                const here = [...sha256Here(bytes)].map(byte => byte.toString(16).padStart(2, '0')).join('');
                if (here !== await sha256(bytes)) wrong.push(length);
              }
              done(JSON.stringify(wrong));
            })();
            """)
        #expect(wrong == .string("[]"))
        try world.close()
    }

    private static let stranger = "ответил не сервер Quire, а страница входа в сеть, прокси или другой сайт"

    @Test("what a list no longer names is removed by a plausible list alone, by the table of the device's own rule")
    func removals() throws {
        let world = try PhoneWorld()
        let table = try Command.vectors("removals")
        let wrong = try world.browser.asyncScript(
            """
            const done = arguments[0];
            (async () => {
              const { decide } = await import('./removals.js');
              const now = Date.now(), wrong = [];
              for (const row of \(table)) {
                const here = new Map(Object.entries(row.here).map(([id, hours]) => [id, hours === null ? null : now - hours * 3600000]));
                const { removed, held } = decide(here, new Set(row.listed), now);
                if (JSON.stringify([[...removed].sort(), [...held].sort()]) !== JSON.stringify([row.removed, row.held])) wrong.push(row.case);
              }
              done(JSON.stringify(wrong));
            })();
            """)
        #expect(wrong == .string("[]"))
        try world.close()
    }

    @Test("an empty list empties no phone: what it had stays, can be started, and says that it is not listed")
    func emptyList() throws {
        let world = try PhoneWorld([PhoneWorld.short, Questionnaire(id: "zother", title: "The other").json])
        let browser = world.browser
        try world.goTo("#/q/short")
        try wait(for: "the questionnaire") {
            try browser.script("return document.querySelector('#begin') !== null") == .bool(true) ? true : nil
        }
        for name in ["0.json", "1.json"] { try Files.remove(world.host.questionnaires + "/" + name) }
        try wait(for: "the list") { () -> Bool? in
            try browser.reload()
            // A reload breaks off what the app asks the hub for, so it has some time for it.
            let isThere = try browser.asyncScript(
                """
                const done = arguments[0], end = Date.now() + 10000;
                const look = () => {
                  const found = document.querySelector('main')?.innerText.includes('The server no longer lists it.') ?? false;
                  if (found || Date.now() > end) done(found); else setTimeout(look, 100);
                };
                look();
                """)
            return isThere == .bool(true) ? true : nil
        }
        #expect(try browser.script("return document.querySelector('#begin') !== null") == .bool(true))
        try world.goTo("#/")
        try browser.see("2 questionnaires", in: "#list")
        try world.close()
    }

    @Test("what becomes of a test after each reply: only a receipt for these very bytes makes it sent")
    func decisions() throws {
        let world = try PhoneWorld()
        let found = try world.browser.asyncScript(
            """
            const done = arguments[0];
            (async () => {
              const { decide } = await import('./background-sync.js');
              const id = '11111111-2222-4333-8444-555555555555', digest = 'ab'.repeat(32);
              const test = { id, frozen: { digest } };
              const body = more => ({ test: id.toUpperCase(), digest: 'sha256:' + digest, receivedAt: 'now', ...more });
              const kept = { test: id, digest: 'sha256:' + digest, status: 'kept', keptAt: 'then' };
              const problem = type => ({ type, detail: 'Why.' });
              const outcomeOf = (reply, jitter = 0) => {
                const { status, keptAt, notBefore, isOver } = decide(test, reply, 1e6, jitter);
                return [status, keptAt ? 'kept' : '', notBefore === undefined ? '' : String((notBefore - 1e6) / 1000), isOver ? 'stop' : ''].join(' ').trim();
              };
              done([
                outcomeOf({ status: 201, body: body({ status: 'sent' }) }), outcomeOf({ status: 200, body: body({ status: 'rated' }) }),
                outcomeOf({ status: 200, body: body({ status: 'sent', digest: 'sha256:' + 'cd'.repeat(32) }) }),
                outcomeOf({ status: 200, body: body({ status: 'sent', test: 'another' }) }), outcomeOf({ status: 200, body: null }),
                outcomeOf({ status: 200, body: body({ status: 'sent', receivedAt: undefined }) }),
                outcomeOf({ status: 202, body: kept }), outcomeOf({ status: 202, body: { ...kept, digest: 'x' } }),
                outcomeOf({ status: 200, body: kept }), outcomeOf(null),
                outcomeOf({ status: 409, problem: problem('urn:quire:problem:different-content') }), outcomeOf({ status: 412 }),
                outcomeOf({ status: 422, problem: problem('urn:quire:problem:invalid-test') }), outcomeOf({ status: 413 }), outcomeOf({ status: 404 }),
                outcomeOf({ status: 400, problem: problem('urn:quire:problem:digest-mismatch') }), outcomeOf({ status: 400 }),
                outcomeOf({ status: 401 }), outcomeOf({ status: 408 }), outcomeOf({ status: 500 }), outcomeOf({ status: 504 }),
                outcomeOf({ status: 503, retryAfter: 90000 }), outcomeOf({ status: 429, retryAfter: 1e12 }),
                outcomeOf({ status: 500 }, 0.5), outcomeOf({ status: 503, retryAfter: 90000 }, 0.5),
              ]);
            })();
            """)
        #expect(
            found.texts == [
                "sent", "rated", "done  2 stop", "done  2 stop", "done  2 stop", "done  2 stop", "done kept 60",
                "done  2 stop", "done  2 stop", "done  0 stop", "conflict", "done  2 stop", "rejected", "done  2 stop",
                "done  2 stop", "done  2", "done  2 stop", "done  2 stop", "done  2", "done  2", "done  2",
                "done  90 stop",
                "done  86400 stop",
                // A random part of what is left up to four times the shortest pause.
                "done  5", "done  93 stop",
            ])
        try world.close()
    }

    @Test("each reply of the shared table becomes in the app what it becomes in Swift")
    func vectors() throws {
        let table = try Command.vectors("deliveries")
        let world = try PhoneWorld()
        let found = try world.browser.asyncScript(
            """
            const done = arguments[0], vectors = \(table);
            import('./background-sync.js').then(({ decide, read }) => {
              const test = { id: vectors.test, frozen: { digest: vectors.digest.slice(7) } };
              const wrong = vectors.replies.filter(reply => {
                const fields = new Headers(reply.fields);
                const { status, keptAt, isOver } = decide(test, read(reply.status, name => fields.get(name), reply.body), 1e6, 0.5);
                const becomes = ['sent', 'checking', 'rated'].includes(status) ? 'sent' : status === 'done' ? keptAt ? 'kept' : 'waits' : status;
                return becomes !== reply.becomes || !!isOver !== reply.ends;
              });
              done([String(vectors.replies.length > 60), ...wrong.map(reply => reply.name)]);
            }, error => done([String(error)]));
            """)
        #expect(found.texts == ["true"])
        try world.close()
    }

    @Test("the app knows a stranger's reply by the table that devices and hubs use")
    func strangers() throws {
        let table = try Command.vectors("strangers")
        let world = try PhoneWorld()
        let found = try world.browser.asyncScript(
            """
            const done = arguments[0], vectors = \(table);
            import('./background-sync.js').then(({ isStranger, read }) => {
              const wrong = vectors.replies.filter(reply => {
                const fields = new Headers(reply.fields);
                return isStranger(read(reply.status, name => fields.get(name), reply.body)) !== reply.isStranger;
              });
              done([String(vectors.replies.length > 80), ...wrong.map(reply => reply.name)]);
            }, error => done([String(error)]));
            """)
        #expect(found.texts == ["true"])
        try world.close()
    }

    @Test("the whole main job in Russian, with the keyboard alone, on a phone")
    func keyboard() throws {
        let world = try PhoneWorld(language: "ru", width: 500)
        let browser = world.browser
        try browser.see("1 анкета", in: "#list")
        #expect(try browser.script("return document.documentElement.lang") == .string("ru"))
        try browser.reach(".skip")
        try browser.press(Chromium.Key.enter)
        try browser.reach("#search")
        try browser.press("SHORT")
        try browser.see("Найдено: 1 анкета", in: "#list")
        try browser.reach(".item h2 a")
        try browser.press(Chromium.Key.enter)
        try browser.see("Начать")
        try browser.reach("#begin")
        try browser.press(Chromium.Key.enter)
        try browser.see("Вопрос 1 из 4")
        try browser.reach("#a0-0")
        try browser.press(Chromium.Key.space)
        try browser.reach("#forward")
        try browser.press(Chromium.Key.enter)
        try browser.see("Вопрос 2 из 4")
        try browser.reach("#a1-0")
        try browser.press(Chromium.Key.space)
        try browser.reach("#forward")
        try browser.press(Chromium.Key.enter)
        try browser.see("Вопрос 3 из 4")
        try browser.reach("#a2")
        try browser.press("Вот так")
        try browser.reach("#forward")
        try browser.press(Chromium.Key.enter)
        try browser.see("Вопрос 4 из 4")
        try browser.reach("#a3")
        try browser.press("12")
        // Enter in a field leads on.
        try browser.press(Chromium.Key.enter)
        try browser.see("Проверьте ответы")
        try browser.reach("#send")
        try browser.press(Chromium.Key.enter)
        try browser.see("Проверено", in: ".state-words")
        #expect(world.host.tests.count == 1)
        // What servers say, in the person's language where it is known.
        let reasons = try browser.asyncScript(
            """
            const done = arguments[0];
            Promise.all([import('./background-sync.js'), import('./words.js')]).then(([{ decide }, { reasonOf }]) => {
              const said = (status, type, detail) => reasonOf(decide({ id: 'x', frozen: {} }, { status, problem: { type, detail } }, 0));
              done([said(422, 'urn:quire:problem:invalid-test', 'No.'), said(413), said(503, undefined, 'Позже.'),
                said(422, 'https://example.org/late', 'Too late.'), said(422, 'urn:quire:problem:constructor', 'Odd.'),
                said(409, { split: 1 }, 'Odder.'), said(422, 5, 'Oddest.')]);
            });
            """)
        #expect(
            reasons.texts == [
                "сервер не может прочитать этот тест", Self.stranger, "Позже.", Self.stranger, "Odd.", Self.stranger,
                Self.stranger,
            ])
        // The other language, kept over a reload.
        try world.goTo("#/settings")
        try browser.click("#speak-en")
        try browser.see("Settings", in: "h1")
        try browser.reload()
        try browser.see("Settings", in: "h1")
        try world.close()
    }

    @Test("axe-core finds nothing on any screen of the app, in light and dark, wide and narrow")
    func accessibility() throws {
        guard let axe = AxeCore.script else { return }
        let tools = try TemporaryFolder()
        for isDark in [false, true] {
            let world = try PhoneWorld(nil, isDark: isDark, width: isDark ? 500 : 1100)
            let browser = world.browser
            func check(_ hash: String, _ ready: String) throws {
                try world.goTo(hash)
                try browser.see(ready)
                #expect(try browser.violations(by: axe) == "", "\(hash)")
            }
            try browser.see("14 questionnaires")
            try check("#/", "14 questionnaires")
            try check("#/q/sky-and-planets", "Start")
            try browser.click("#begin")
            try browser.see("Question 1 of 10")
            let id = try #require(try browser.script("return location.hash.split('/')[2]").text)
            for number in [1, 3, 5, 8] { try check("#/t/\(id)/\(number)", "Question \(number) of 10") }
            try world.goTo("#/t/\(id)/3")
            try browser.click("#d2 summary")
            try browser.type(Command.samples + "/media/big-dipper.png", into: "#c2")
            try browser.see("big-dipper.png", in: "#d2")
            try browser.type(try Files.film(tools.path + "/film.mp4", bytes: 100_000), into: "#c2")
            try browser.see("film.mp4", in: "#d2")
            #expect(try browser.violations(by: axe) == "", "files")
            try check("#/t/\(id)/review", "Review your answers")
            try check("#/outbox", "Draft, saved locally")
            try check("#/results", "No tests have been delivered yet.")
            try check("#/settings", "Where your data is stored")
            try world.goTo("#/q/posle-uroka")
            try browser.click("#begin")
            try browser.see("Question 1 of 7")
            let sent = try #require(try browser.script("return location.hash.split('/')[2]").text)
            try browser.type("Дроби", into: "#a0")
            for question in [1, 3] {
                try world.goTo("#/t/\(sent)/\(question + 1)")
                try browser.click(PhoneWorld.option(question, 0))
                try browser.see("Saved locally", in: "#saved")
            }
            try world.goTo("#/t/\(sent)/review")
            try browser.see("Review your answers")
            try browser.script("document.querySelector('#send').click()")
            try browser.see("Sent", in: ".state-words")
            try browser.click("#proof summary")
            try check("#/t/\(sent)", "Proof of delivery")
            try browser.open(world.address.replacingOccurrences(of: "/app/", with: "/status"))
            try browser.see("Quire hub")
            #expect(try browser.violations(by: axe) == "", "the hub's status")
            try world.close()
        }
    }
}
