import HTTPTypes
import Model
import OutboxStore
import Quire
import ServedApplication
import Testing

@testable import Web

@Suite("PINs on the page, without a script")
struct PINPageTests {
    @Test("it is set, asked for at each switch, changed and removed", arguments: Way.allCases)
    func pin(_ way: Way) async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(way) { browser, _ in
            _ = try await browser.post("/person/set", [("name", "Ada")])
            let ada = try #require(try fixture.store.people.state().current)
            #expect(try await browser.get("/person").text.contains("Set a PIN"))
            for (new, again, words) in [
                ("12", "12", "A PIN has 4 to 12 digits."), ("1234", "1243", "The two new PINs differ."),
            ] {
                let refused = try await browser.post("/person/pin", [("new", new), ("again", again)])
                #expect(refused.status == .unprocessableContent && refused.text.contains(words))
            }
            #expect(try await browser.post("/person/pin", [("new", "1234"), ("again", "1234")]).location == "/person")
            let test = try await browser.post("/q/capitals/begin").location
            _ = try await browser.post("/person/set", [("name", "Boris")])
            #expect(try await browser.get("/person").text.contains("PIN</span>"))

            // By the list, and by the name.
            for (verb, field) in [("use", ("id", ada.id)), ("set", ("name", "Ada"))] {
                let asked = try await browser.post("/person/\(verb)", [field, ("begin", "capitals")])
                #expect(asked.status == .ok && asked.text.contains("PIN, or the code on your card"), "\(verb)")
                #expect(asked.text.contains("name=\"id\" value=\"\(ada.id)\""))
                #expect(asked.text.contains("name=\"begin\" value=\"capitals\""))
            }
            let wrong = try await browser.post("/person/use", [("id", ada.id), ("pin", "4321")])
            #expect(wrong.status == .unprocessableContent && wrong.text.contains("This PIN is wrong."))
            #expect(!wrong.text.contains("\"4321\""))
            #expect(try await browser.get("/person/use").location == "/person")
            #expect(try await browser.get(test).status == .forbidden)
            #expect(try fixture.store.people.state().current?.name == "Boris")
            #expect(
                try await browser.post("/person/use", [("id", ada.id), ("pin", "1234"), ("back", test)]).location
                    == test)
            #expect(try await browser.get(test).status == .ok)

            let kept = try await browser.post(
                "/person/pin", [("former", "4321"), ("new", "5678"), ("again", "5678")])
            #expect(kept.status == .unprocessableContent && kept.text.contains("This PIN is wrong."))
            _ = try await browser.post(
                "/person/pin", [("former", "1234"), ("remove", "1"), ("new", ""), ("again", "")])
            #expect(try !fixture.store.people.pins.isSet(for: ada.id))
        }
    }

    @Test("a form for a draft of a person with a PIN is refused until it is typed, and nothing of the form is lost")
    func midTest() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            _ = try await browser.post("/person/set", [("name", "Ada")])
            let ada = try #require(try fixture.store.people.state().current)
            _ = try await browser.post("/person/pin", [("new", "1234"), ("again", "1234")])
            let test = try await browser.post("/q/capitals/begin").location
            _ = try await browser.post("/person/set", [("name", "Boris")])
            let form = [("shown", "2"), ("was.2", "-"), ("a.2", "typed meanwhile"), ("go", "leave")]
            let refused = try await browser.post(test, form)
            #expect(refused.status == .forbidden && refused.text.contains("name=\"pin\""))
            for pin in [[], [("pin", "9999")]] {
                let again = try await browser.post(test, form + [("switch", ada.id)] + pin)
                #expect(again.status == .forbidden && again.text.contains("typed meanwhile"))
                #expect(!again.text.contains("\"9999\""))
            }
            #expect(try await browser.post(test, form + [("switch", ada.id), ("pin", "1234")]).status == .seeOther)
            let id = try #require(TestID(String(test.dropFirst(3))))
            let record = try fixture.store.outbox.read(OutboxItem(id: id, status: .inProgress)).record
            #expect(record.answers.first { $0.questionId == "q3" }?.value == .one("typed meanwhile"))
        }
    }

    @Test("after five wrong ones the page says how long to wait, and the sixth is not compared")
    func bounded() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            _ = try await browser.post("/person/set", [("name", "Ada")])
            let ada = try #require(try fixture.store.people.state().current)
            _ = try await browser.post("/person/pin", [("new", "1234"), ("again", "1234")])
            _ = try await browser.post("/person/clear")
            for _ in 1...5 { _ = try await browser.post("/person/use", [("id", ada.id), ("pin", "0000")]) }
            let waiting = try await browser.post("/person/use", [("id", ada.id), ("pin", "1234")])
            #expect(waiting.text.contains("Too many wrong PINs. The next try is in 30 s."))
            fixture.disk.clock.advance(by: .seconds(30))
            #expect(try await browser.post("/person/use", [("id", ada.id), ("pin", "1234")]).status == .seeOther)
        }
    }
}
