import Foundation
import Testing

/// What the host hears of drafts on a phone, through the hub of the room.
@Suite(
    "Open tests on a phone", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneProgressTests {
    private static let why = """
        {"id": "why", "title": "Why", "questions": [{"id": "q1", "text": "Why?", "kind": "text"}]}
        """

    private func line(_ world: PhoneWorld) throws -> JSON {
        let office = Device(world.folder.path, name: "office")
        return try office.json(
            "host", "people", "list", "--questionnaire", "why", "--data", world.host.data
        ).elements.first { $0["id"].text == "s-1" } ?? JSON(parsing: "{}")
    }

    @Test("a draft that is started on a phone is shown as started at the host, and ends when it is handed in")
    func started() throws {
        let world = try PhoneWorld([Self.why], width: 390, height: 800)
        try world.importClass(["s-1,Ada Lovelace,7b,"])
        let browser = world.browser
        try browser.reload()
        try world.goTo("#/")
        try browser.see("Why", in: "#list")
        try world.goTo("#/q/why")
        try browser.click("#begin")
        try browser.see("Who is taking this?")
        try browser.type("love", into: "#find")
        try browser.click("#is-s-1")
        try browser.see("Why?")
        guard let id = try browser.script("return location.hash.split('/')[2]").text else { throw Unexpected("no id") }
        try wait(for: "the report") { try line(world)["state"].text == "started" ? true : nil }
        #expect(try line(world)["open"]["test"].text == id)
        try browser.type("So.", into: "#a0")
        try world.waitForAnswer(id, "q1", "So.")
        try world.goTo("#/t/\(id)/review")
        try browser.click("#send")
        try wait(for: "the delivery") { try line(world)["tests"].whole == 1 ? true : nil }
        try wait(for: "the end of it") { Files.names(in: world.host.data + "/progress").isEmpty ? true : nil }
        try world.close()
    }

    @Test("the app decides about a report as the device's program does")
    func decisions() throws {
        let world = try PhoneWorld([Self.why])
        let found = try world.browser.asyncScript(
            """
            const done = arguments[0];
            import('./progress.js').then(({ isNew, heard, entry }) => {
              const problem = { type: 'urn:quire:problem:not-allowed' }, day = 86400e3;
              done([
                isNew('a', 0, undefined, 0), isNew('a', 1, undefined, 0), isNew('a', 1, { text: 'a' }, 0), isNew('b', 0, { text: 'a' }, 0),
                isNew('b', 1, { refusedAt: 0 }, day - 1), isNew('b', 1, { refusedAt: 0 }, day), isNew('b', 1, { refusedAt: 5 }, 0),
                heard(null, 'a', 0) === null, heard({ status: 200, body: { reported: 0 } }, 'a', 0).text === 'a',
                heard({ status: 200, body: null }, 'a', 0) === null, heard({ status: 404 }, 'a', 7).refusedAt === 7,
                heard({ status: 403, problem }, 'a', 0).text === 'a', heard({ status: 403 }, 'a', 0) === null,
                heard({ status: 401, problem }, 'a', 0) === null, heard({ status: 503, problem }, 'a', 0) === null,
                entry({ id: 'x', status: 'done', record: { person: { id: 'a', name: 'A' } } }) === null,
                entry({ id: 'x', status: 'empty', record: {} }) === null,
              ].map(Number).join(''));
            });
            """
        ).text
        #expect(found == "01010111" + String(repeating: "1", count: 9))
        try world.close()
    }
}
