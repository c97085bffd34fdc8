import Disk
import HTTPTypes
import Model
import Quire
import Testing

@testable import Web

@Suite("The class list on the page, without a script")
struct ClassListPageTests {
    private static let names = [
        "\u{0410}\u{043D}\u{043D}\u{0430}", "\u{0644}\u{064A}\u{0644}\u{0649}", "\u{738B}\u{82B3}",
    ]

    /// A device that has fetched a class of 60.
    private func fixture(typedNames: Bool? = nil) async throws -> PageFixture {
        let fixture = try await PageFixture()
        let people = (1...60).map { Person(id: "s-\($0)", name: "\(Self.names[$0 % 3]) \($0)", group: "7b") }
        let files = fixture.disk.process()
        try files.makeDurableFolder("people")
        try files.writeDurably(
            try DocumentCoding.encode(ClassList(url: "https://h/v1/people", people: people, typedNames: typedNames)),
            to: "people/list.json",
            temporaryFolder: "people")
        return fixture
    }

    @Test(
        "the start of a test asks who takes it, a search finds people by name and number, and a choice begins the test")
    func choosing() async throws {
        let fixture = try await fixture()
        try await fixture.serve { browser, _ in
            #expect(try await browser.post("/q/capitals/begin").location == "/person?begin=capitals")
            let all = try await browser.get("/person?begin=capitals").text
            #expect(all.contains("40 of 60 people are shown"))
            let found = try await browser.get(
                "/person?begin=capitals&find=" + PercentEncoding.encode("\u{738B}\u{82B3} 17")
            ).text
            #expect(found.contains("value=\"s-17\"") && !found.contains("value=\"s-18\""))
            #expect(try await browser.get("/person?find=s-42").text.contains("value=\"s-42\""))
            #expect(try await browser.get("/person?find=zzz").text.contains("No one on the class list matches."))
            let test = try await browser.post("/person/use", [("id", "s-17"), ("begin", "capitals")]).location
            #expect(test.hasPrefix("/t/"))
            #expect(try await browser.get(test).text.contains("\u{738B}\u{82B3} 17 (7b)"))
        }
    }

    @Test("where only people of the list take tests, no name can be typed, and no test begins without one of them")
    func listedOnly() async throws {
        let fixture = try await fixture(typedNames: false)
        try await fixture.serve { browser, _ in
            let asked = try await browser.get("/person?begin=capitals").text
            #expect(asked.contains("Only people on the class list take tests here.") && asked.contains("id=\"find\""))
            #expect(!asked.contains("action=\"/person/set\"") && !asked.contains("Continue without a name"))
            let typed = try await browser.post("/person/set", [("name", "Eve"), ("begin", "capitals")])
            #expect(typed.status == .unprocessableContent && typed.text.contains("Only people on the class list"))
            for anyone in ["0", "1"] {
                #expect(
                    try await browser.post("/q/capitals/begin", [("anyone", anyone)]).location
                        == "/person?begin=capitals")
            }
            #expect(try fixture.store.tests().isEmpty)
            #expect(
                try await browser.post("/person/use", [("id", "s-17"), ("begin", "capitals")]).location.hasPrefix("/t/")
            )
        }
    }

    @Test("a name that is typed is the person of the list")
    func typed() async throws {
        let fixture = try await fixture()
        try await fixture.serve { browser, _ in
            _ = try await browser.post("/person/set", [("name", "\(Self.names[0]) 3")])
        }
        #expect(try fixture.store.people.state().current?.id == "s-3")
    }
}
