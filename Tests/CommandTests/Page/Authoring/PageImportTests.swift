import Foundation
import Testing

/// Tests of people who used another machine before.
@Suite(
    "People whose tests come from another machine", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PageImportTests {
    private static let short = """
        {"id": "short", "title": "Short one", "questions": [{"id": "q1", "text": "Why?", "kind": "text"}]}
        """
    private static let people = ["Ada": "s-1", "Boris": "s-2", "Clara": "s-3"]

    private func enter(_ name: String, _ world: PageWorld) throws {
        try world.device.done("person", "set", name, "--id", Self.people[name] ?? "")
    }

    private func answers(_ name: String, _ kind: String) -> String { #"{"q1": "\#(kind) of \#(name)"}"# }

    @Test(
        "three on one store and one browser: after an import each has their own, sees no one else's, and all is delivered"
    )
    func imported() throws {
        let world = try PageWorld(questionnaires: [Self.short])
        let other = try Device(world.folder.path, name: "other", of: world.host)
        let browser = world.browser
        let names = Self.people.keys.sorted()
        var expected: [String: String] = [:]
        for name in names {
            try other.done("person", "set", name, "--id", Self.people[name] ?? "")
            expected[try other.take("short", answers: answers(name, "finished elsewhere"))] = name
            _ = try other.take("short", answers: answers(name, "draft elsewhere"), isFinished: false)
            try enter(name, world)
            _ = try world.device.take("short", answers: answers(name, "draft here"), isFinished: false)
        }
        // Ada is in the middle of a test on the page when the archive comes.
        try enter("Ada", world)
        try browser.open(world.page.address + "/q/short")
        try browser.click("form[action$='/begin'] button")
        try browser.see("Why?")
        try browser.type("typed of Ada", into: "textarea")
        let archive = world.folder.path + "/tests.tar"
        try other.done("outbox", "export", archive)
        // The page may be sending at this moment.
        try wait(for: "the import") { try world.device.quire("outbox", "import", archive).exitCode == 0 ? true : nil }
        try browser.type(" and more", into: "textarea")
        try wait(for: "what Ada typed") { () -> Bool? in
            let typed = world.device.tests("in-progress").compactMap {
                (try? JSON(file: world.device.testPath($0, "in-progress")))?["answers"][0]["answer"].text
            }
            return typed.contains("typed of Ada and more") ? true : nil
        }
        try world.restartBrowser()

        // All that waits is sent, no matter who is there.
        try enter("Clara", world)
        try wait(for: "the tests at the host") { () -> Bool? in
            guard try isSynced(world) else { return nil }
            return try world.device.json("host", "tests", "--data", world.host.data).elements.count == 3 ? true : nil
        }
        for name in names {
            // A page of someone else's test loads again when another person comes, and would stop the next page's opening.
            try world.browser.open("about:blank")
            try enter(name, world)
            let others = names.filter { $0 != name }
            let screens = ["/outbox": ["draft here", "draft elsewhere"], "/results": ["finished elsewhere"]]
            for (path, shown) in screens {
                try world.browser.open(world.page.address + path)
                try world.browser.see(name, in: "#who")
                for kind in shown { try world.browser.see("\(kind) of \(name)", in: "#list") }
                let text = try world.browser.text()
                for one in others { #expect(!text.contains("of \(one)"), "\(path) of \(name)") }
            }
            for (test, owner) in expected where owner != name {
                try world.browser.open(world.page.address + "/t/\(test)")
                try world.browser.see("This test belongs to \(owner)")
                #expect(try !world.browser.text().contains("elsewhere of"))
            }
        }
        // Each person finishes their own drafts on the device that imported them.
        for name in names {
            try enter(name, world)
            for draft in try world.device.json("tests", "--status", "in-progress").elements {
                let id = try #require(draft["id"].text)
                #expect(draft["person"]["name"].text == name)
                try world.device.done("finish", id)
                expected[id] = name
            }
        }
        #expect(expected.count == 10)
        try wait(for: "all at the host") { () -> Bool? in
            guard try isSynced(world) else { return nil }
            return try world.device.json("host", "tests", "--data", world.host.data).elements.count == 10 ? true : nil
        }
        // The other machine sends its copies, too: nothing is there twice.
        try other.done("sync")
        let delivered = try world.device.json("host", "tests", "--data", world.host.data).elements
        let owners = delivered.map { ($0["id"].text ?? "", $0["person"]["name"].text ?? "") }
        #expect(Dictionary(uniqueKeysWithValues: owners) == expected)
        #expect(delivered.allSatisfy { Self.people[$0["person"]["name"].text ?? ""] == $0["person"]["id"].text })
        try world.close()
    }

    /// Sends what waits, and says whether all of it is sent. The page may be sending some of it just now (exit code 75).
    private func isSynced(_ world: PageWorld) throws -> Bool {
        let synced = try world.device.quire("sync")
        try #require([0, 75].contains(synced.exitCode), "\(synced)")
        return synced.exitCode == 0
    }
}
