import HTTPTypes
import HummingbirdTesting
import Model
import Quire
import Simulation
import Testing

@testable import Web

@Suite("The settings on the page")
struct SettingsPageTests {
    private func settings(_ fixture: PageFixture) throws -> StoreSettings {
        try QuireStore.open(fixture.disk.process(), clock: fixture.disk.clock, bootIdentity: "boot-1").settings
    }

    @Test("what another program sets holds at once, and a setting saved here changes that one alone")
    func elsewhere() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, opened in
            #expect(try await browser.get("/settings").text.contains(FaultyRemote.origin))
            try fixture.store.changeSettings {
                $0.remote = "https://new.example"
                $0.ttlSeconds = 77
            }
            _ = try await browser.post("/settings/quota", [("quota", " 1,5 МБ ")])
            #expect(try settings(fixture).remote == "https://new.example")
            #expect(try settings(fixture).ttlSeconds == 77)
            #expect(try settings(fixture).quotaBytes == 1_500_000)
            #expect(try await browser.get("/settings").text.contains("https://new.example"))
            #expect(opened.router.storeContext.store.settings.remote == "https://new.example")
            _ = try await browser.post("/settings/remote", [("remote", "  https://spaces.example  ")])
            #expect(try settings(fixture).remote == "https://spaces.example")
            #expect(try settings(fixture).quotaBytes == 1_500_000)
        }
    }

    @Test("settings that cannot be read stop no answer; sending says why")
    func damaged() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            try fixture.disk.put("store.json", "{")
            #expect(try await browser.post(test, [("shown", "2"), ("was.2", "-"), ("a.2", "x")]).status == .seeOther)
            #expect(try fixture.answer("q3") == "x")
            let refused = try await browser.post("/sync")
            #expect(refused.status == .serviceUnavailable && refused.text.contains("store.json"))
        }
    }

    @Test("a limit below what must stay is saved, said to be so, and shown")
    func tooSmall() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            _ = try await browser.post("/q/capitals/favorite", [("on", "1")])
            let reply = try await browser.post("/settings/quota", [("quota", "1")])
            #expect(reply.status == .seeOther && reply.location == "/settings")
            let text = try await browser.get("/settings").text
            #expect(text.contains("notice warn") && text.contains("and are kept"))
            #expect(text.contains("of 1 B used") && !text.contains("used, no limit"))
            #expect(try settings(fixture).quotaBytes == 1)
        }
    }
}
