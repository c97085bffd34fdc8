import Disk
import HummingbirdTesting
import Model
import Quire
import Simulation
import Testing

@testable import Web

@Suite("Each kind of question has its own fields, without a script")
struct KindFieldTests {
    /// A draft of a questionnaire with these questions.
    static func fixture(_ questions: String) async throws -> PageFixture {
        let fixture = try await PageFixture(pulls: false)
        fixture.remote.publish("kinds", #"{"id": "kinds", "title": "Kinds", "questions": [\#(questions)]}"#)
        _ = try await fixture.store.puller(fixture.remote).pull()
        return fixture
    }

    /// The tag of the field of a question.
    static func field(_ page: String, _ name: String) -> String? {
        page.split(separator: "<").first { $0.contains(#"name="\#(name)""#) }.map(String.init)
    }

    @Test("a text whose author wants one line has a field of one line; an answer with more lines keeps them")
    func oneLine() async throws {
        let fixture = try await Self.fixture(
            #"{"id": "name", "kind": "text", "text": "Name?", "multiline": false}, {"id": "why", "kind": "text", "text": "?"}"#
        )
        try await fixture.serve(isOnline: false) { browser, _ in
            let test = try await browser.post("/q/kinds/begin").location
            let page = try await browser.get(test + "?view=all").text
            #expect(Self.field(page, "a.0")?.hasPrefix("input ") == true)
            #expect(Self.field(page, "a.1")?.hasPrefix("textarea ") == true)
            _ = try await browser.post(test, [("shown", "0"), ("was.0", "-"), ("a.0", "  Ann “A” <b> ")])
            #expect(try fixture.answer("name") == "  Ann “A” <b> ")
            #expect(try await browser.get(test + "?n=1").text.contains("value=\"  Ann “A” &lt;b&gt; \""))
            let id = try #require(try fixture.store.tests().first?.item.id)
            try fixture.store.outbox.edits.update(id) {
                $0.record(Answer(questionId: "name", value: .one("two\nlines")))
            }
            let lines = try await browser.get(test + "?n=1").text
            #expect(Self.field(lines, "a.0")?.hasPrefix("textarea ") == true && lines.contains("two\nlines"))
        }
    }

    @Test("a date with a time has the browser's own field, which changes neither seconds nor offset")
    func dateTime() async throws {
        let fixture = try await Self.fixture(#"{"id": "at", "kind": "dateTime", "text": "When?"}"#)
        @Sendable func stored(_ local: String) throws -> String {
            try #require(WrittenDate.dateTime(local, localOffset: SystemClock.localOffset).text)
        }
        let other = try stored("2026-11-25 14:30").hasSuffix("+07:00") ? "+08:00" : "+07:00"
        try await fixture.serve(isOnline: false) { browser, _ in
            let test = try await browser.post("/q/kinds/begin").location
            #expect(Self.field(try await browser.get(test).text, "a.0")?.contains(#"type="datetime-local""#) == true)
            _ = try await browser.post(test, [("shown", "0"), ("was.0", "-"), ("a.0", "2026-11-25T14:30")])
            #expect(try fixture.answer("at") == (try stored("2026-11-25 14:30")))
            let id = try #require(try fixture.store.tests().first?.item.id)
            for (answer, type, value) in [
                (try stored("2026-11-25 14:30"), "datetime-local", "2026-11-25T14:30"),
                (try stored("2026-11-25 14:30:15"), "datetime-local", "2026-11-25T14:30:15"),
                ("2026-11-25T14:30:00\(other)", "text", "2026-11-25T14:30:00\(other)"),
                (try stored("2026-11-25 14:30:15.250"), "text", try stored("2026-11-25 14:30:15.250")),
                ("after lunch", "text", "after lunch"),
            ] {
                try fixture.store.outbox.edits.update(id) { $0.record(Answer(questionId: "at", value: .one(answer))) }
                let page = try await browser.get(test).text
                let field = Self.field(page, "a.0") ?? ""
                #expect(field.contains("type=\"\(type)\"") && field.contains("value=\"\(value)\""), "\(field)")
                #expect(field.contains("step=\"1\"") == value.hasSuffix(":15"))
                // A form as it was shown stores nothing.
                let was = try #require(page.value(of: "was.0"))
                _ = try await browser.post(test, [("shown", "0"), ("was.0", was), ("a.0", value)])
                #expect(try fixture.answer("at") == answer)
            }
        }
    }

    @Test(
        "a place has two fields, the first of which takes both; what the device measured goes with its coordinates alone"
    )
    func location() async throws {
        let fixture = try await Self.fixture(#"{"id": "where", "kind": "location", "text": "Where?"}"#)
        try await fixture.serve(isOnline: false) { browser, _ in
            let test = try await browser.post("/q/kinds/begin").location
            func stored() throws -> Answer.Value? {
                let item = try #require(try fixture.store.tests().first?.item)
                return try fixture.store.outbox.read(item).record.answer(to: "where")?.value
            }
            func send(_ latitude: String, _ longitude: String, _ measured: String = "") async throws -> String {
                let was = try #require(try await browser.get(test).text.value(of: "was.0"))
                let form = [
                    ("shown", "0"), ("was.0", was), ("a.0.latitude", latitude), ("a.0.longitude", longitude),
                    ("a.0.measured", measured),
                ]
                _ = try await browser.post(test, form)
                return try await browser.get(test).text
            }
            _ = try await send("55.75", "")
            #expect(try stored() == .one("55.75"))
            let half = try await browser.get(test).text
            #expect(half.contains("is no pair of coordinates") && half.contains("value=\"55.75\""))
            _ = try await send("55,75", "37,62")
            #expect(try stored() == Location(latitude: 55.75, longitude: 37.62).value)
            _ = try await send("geo:1.5,2.5", "")
            #expect(try stored() == Location(latitude: 1.5, longitude: 2.5).value)
            let measured = try await send("55.75", "37.62", "55.75;37.62;12.5")
            #expect(try stored() == Location(latitude: 55.75, longitude: 37.62, accuracyMeters: 12.5).value)
            #expect(measured.contains("Accurate to 12.5 m") && measured.contains("value=\"55.75;37.62;12.5\""))
            #expect(try await browser.get(test + "/review").text.contains("55.75, 37.62 (±12.5 m)"))
            // The same form again changes nothing, whatever else the answer has.
            let id = try #require(try fixture.store.tests().first?.item.id)
            let known: Answer.Value = .object([
                "latitude": .number(55.75), "longitude": .number(37.62), "accuracyMeters": .number(12.5),
                "by": .string("GPS"),
            ])
            try fixture.store.outbox.edits.update(id) { $0.record(Answer(questionId: "where", value: known)) }
            _ = try await send("55.75", "37.62", "55.75;37.62;12.5")
            #expect(try stored() == known)
            _ = try await send("55.76", "37.62", "55.75;37.62;12.5")
            #expect(try stored() == Location(latitude: 55.76, longitude: 37.62).value)
            #expect(try await send("100", "2").contains("A latitude is from -90 to 90"))
            #expect(try stored() == .one("100; 2"))
            _ = try await send("", "")
            #expect(try stored() == nil)
        }
    }
}
