import Foundation
import Testing

/// Corrections on the page and in the app.
@Suite(
    "Revisions in a browser", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct RevisionBrowserTests {
    private static let exam = """
        {"id": "exam", "title": "Exam", "availability": {"attempts": 2}, "answerKey": {"q1": "Paris"}, "questions": [
         {"id": "q1", "text": "Capital of France?", "options": ["Paris", "London"]}]}
        """

    /// The page sends by itself, too: meanwhile a command leaves it to the page, and ends with 75.
    private func deliver(_ test: String, from device: Device) throws {
        try wait(for: "\(test) at the host") { () -> Bool? in
            let outcome = try device.quire("sync")
            try #require(outcome.exitCode == 0 || outcome.exitCode == 75, "\(outcome)")
            return device.tests("rated").contains(test) ? true : nil
        }
    }

    @Test("the page: a revision is one in the outbox, the results and the report; no attempt left is said, not offered")
    func page() throws {
        let axe = AxeCore.script
        let world = try PageWorld(questionnaires: [Self.exam])
        let (browser, device) = (world.browser, world.device)
        try device.done("person", "set", "Ada")
        let first = try device.take("exam", answers: #"{"q1": "London"}"#)
        try deliver(first, from: device)
        func open(_ path: String) throws { try browser.open(world.page.address + path) }
        try open("/t/\(first)")
        try browser.click("form[action$='/reopen'] button")
        try browser.see("revision 2", in: "#revision")
        let second = try #require(device.tests("in-progress").first)
        try open("/outbox")
        try browser.see("revision 2", in: "#list")
        try open("/q/exam")
        try browser.see("revision 2", in: "#tests, .cards")
        try device.done("answer", second, "q1", "Paris")
        try device.done("finish", second)
        try deliver(second, from: device)
        try open("/results")
        try browser.see("revision 2", in: "#list")
        try open("/t/\(second)")
        try browser.see("first version", in: "nav.chain")
        if let axe { #expect(try browser.violations(by: axe) == "") }
        #expect(try !browser.has("form[action$='/reopen']"))
        try browser.see("You have handed it in 2 times", in: "#report")
        try browser.click("nav.chain li:first-child a")
        try wait(for: "the first version") { try browser.url.hasSuffix(first) ? true : nil }
        try browser.see("revision 2", in: "nav.chain")
        // Also a form from before.
        let reply = try browser.asyncScript(
            """
            const done = arguments[0], token = document.querySelector('input[name=token]')?.value ?? '';
            fetch('/t/\(first)/reopen', { method: 'POST', body: new URLSearchParams({ token }) }).then(reply => done(reply.url));
            """)
        #expect(reply == .string(world.page.address + "/t/\(first)"))
        #expect(device.tests("in-progress").isEmpty)
        try world.close()
    }

    @Test("the app: the correction that a teacher asked for is a revision in the draft, the lists and the report")
    func app() throws {
        let world = try PhoneWorld([PhoneWorld.why], width: 390, height: 800)
        let browser = world.browser
        try browser.see("Why", in: "#list")
        let first = try world.beginWhy("before")
        try world.goTo("#/t/\(first)/review")
        try browser.click("#send")
        try browser.see("Sent", in: ".state-words")
        try world.teacher.done(
            "host", "rate", "--data", world.host.data, first, "--return", "--comment", "Say why.", "--by", "Ms L")
        try wait(for: "the comment") { () -> Bool? in
            try browser.open(world.address)
            try world.goTo("#/t/\(first)")
            try browser.see("Sent", in: ".state-words")
            // A reload breaks off what the app asks the hub for, so it has some time for it.
            let isThere = try browser.asyncScript(
                """
                const done = arguments[0], end = Date.now() + 10000;
                const look = () => {
                  const found = document.querySelector('#correct') !== null;
                  if (found || Date.now() > end) done(found); else setTimeout(look, 100);
                };
                look();
                """)
            return isThere == .bool(true) ? true : nil
        }
        try browser.click("#correct")
        try browser.see("revision 2", in: "#revision")
        let place = try #require(try browser.url.components(separatedBy: "#/t/").last)
        let second = place.components(separatedBy: "/")[0]
        #expect(second != first)
        try world.goTo("#/outbox")
        try browser.see("revision 2", in: "#list")
        try world.goTo("#/t/\(second)/review")
        try browser.click("#send")
        try browser.see("Sent", in: ".state-words")
        try browser.see("first version", in: "nav.chain")
        try world.goTo("#/results")
        try browser.see("revision 2", in: "#list")
        try world.goTo("#/t/\(first)")
        try browser.see("revision 2", in: "nav.chain")
        let tests = try world.teacher.json("host", "tests", "--data", world.host.data).elements
        #expect(Set(tests.map { $0["revision"].whole }) == [nil, 2])
        try world.close()
    }

    @Test(
        "the app: a draft that went on from another corrects the handed-in test, also when the other is discarded first"
    )
    func discarded() throws {
        let world = try PhoneWorld([PhoneWorld.why], width: 390, height: 800)
        let browser = world.browser
        try browser.see("Why", in: "#list")
        let former = try world.beginWhy("before")
        let parent = "00000000-0000-4000-8000-000000000001"
        let next = "00000000-0000-4000-8000-000000000002"
        let found = try browser.asyncScript(
            """
            const done = arguments[0];
            import('./store.js').then(async store => {
              const draft = await store.test('\(former)');
              const put = item => store.transact(['tests'], 'readwrite', run => run('tests', null, 'put', item));
              await put({ ...draft, record: { ...draft.record, parent: '\(parent)' } });
              await put({ ...draft, id: '\(next)', record: { ...draft.record, id: '\(next)', parent: '\(former)' } });
              await store.discard('\(former)');
              await store.finish('\(next)', 1e6);
              const frozen = await store.test('\(next)');
              done(JSON.parse(new TextDecoder().decode(frozen.frozen.bytes)).parent);
            }).catch(error => done(String(error)));
            """)
        #expect(found == .string(parent))
        try world.close()
    }
}
