import Model
import Testing

@testable import WireFormat

@Suite("Reports of open tests")
struct ProgressReportTests {
    private static func test(
        _ person: String = "ada", _ state: OpenTest.State = .started, hub: String? = nil, at seconds: Int64 = 0,
        id: TestID = .random()
    ) -> OpenTest {
        OpenTest(
            test: id, questionnaire: .init(id: "exam", digest: Digest(sha256Of: [])),
            person: Person(id: person, name: person.capitalized, group: "7b"), state: state, hub: hub,
            since: Timestamp(millisecondsSinceEpoch: seconds * 1000))
    }

    @Test("a report has the test, its version, its person, where it stands and since when, and nothing else")
    func members() throws {
        var one = Self.test(hub: "room 12")
        one.person = Person(id: "ada", name: "Ada <b>")
        let bytes = try DocumentCoding.encode(ProgressReport([one]))
        guard case .object(let report) = try DocumentCoding.decode(JSONValue.self, from: bytes),
            case .array(let tests)? = report["tests"], case .object(let test)? = tests.first
        else { throw Unexpected() }
        #expect(Set(report.keys) == ["tests"] && tests.count == 1)
        #expect(Set(test.keys) == ["hub", "person", "questionnaire", "since", "state", "test"])
        #expect(try DocumentCoding.decode(ProgressReport.self, from: bytes) == ProgressReport([one]))
    }

    private struct Unexpected: Error {}

    @Test("other members of a person or a test are not taken")
    func foreignMembers() throws {
        let text = """
            {"tests": [{"test": "11111111-2222-4333-8444-555555555555", "state": "started", "since": "2026-11-21T04:51:00Z",
             "questionnaire": {"id": "q", "digest": "sha256:\(String(repeating: "0", count: 64))", "title": "T"},
             "person": {"id": "ada", "name": "Ada", "born": "1815"}, "answers": ["secret"]}]}
            """
        let report = try DocumentCoding.decode(ProgressReport.self, from: Array(text.utf8))
        let again = String(decoding: try DocumentCoding.encode(report), as: UTF8.self)
        for word in ["secret", "1815", "title"] { #expect(!again.contains(word)) }
    }

    @Test(
        "what cannot be right is named",
        arguments: [
            ("test", #""11111111""#), ("state", #""done""#), ("hub", "\"\(String(repeating: "h", count: 201))\""),
            ("hub", #""a\nb""#), ("person", #"{"id": "", "name": "x"}"#),
            ("person", "{\"id\": \"x\", \"name\": \"\(String(repeating: "n", count: 401))\"}"),
            ("questionnaire", "{\"id\": \"\", \"digest\": \"sha256:\(String(repeating: "0", count: 64))\"}"),
            ("since", #""soon""#),
        ])
    func faults(_ member: String, _ value: String) throws {
        var members = [
            "test": #""11111111-2222-4333-8444-555555555555""#, "state": #""started""#,
            "since": #""2026-11-21T04:51:00Z""#,
            "questionnaire": "{\"id\": \"q\", \"digest\": \"sha256:\(String(repeating: "0", count: 64))\"}",
            "person": #"{"id": "ada", "name": "Ada"}"#,
        ]
        func report() -> [UInt8] {
            Array("{\"tests\": [{\(members.map { "\"\($0)\": \($1)" }.joined(separator: ", "))}]}".utf8)
        }
        _ = try DocumentCoding.decode(ProgressReport.self, from: report())
        members[member] = value
        do throws(DocumentFault) {
            _ = try DocumentCoding.decode(ProgressReport.self, from: report())
            Issue.record("\(member): \(value) was read")
        } catch {
            #expect(error.field?.contains(member) == true, "\(error)")
        }
    }

    @Test("of too many tests those that were opened last are reported; a longer list is refused")
    func most() throws {
        let many = (0..<Int64(ProgressReport.mostTests + 10)).map { Self.test(at: $0) }
        let report = ProgressReport(many.shuffled())
        #expect(report.tests.count == ProgressReport.mostTests)
        #expect(report.tests.map(\.since).min() == many[10].since)
        var longer = report
        longer.tests.append(many[0])
        let bytes = try DocumentCoding.encode(longer)
        #expect(throws: DocumentFault.self) { try DocumentCoding.decode(ProgressReport.self, from: bytes) }
    }

    @Test("of tests with very long names as many are sent as fit, the latest")
    func fitting() throws {
        let report = ProgressReport((0..<64).map { Self.test(at: $0) })
        let whole = try DocumentCoding.encodeLine(report)
        #expect(try report.fitting().bytes == whole)
        let (part, bytes) = try report.fitting(whole.count / 3)
        #expect(bytes.count <= whole.count / 3 && part.tests == Array(report.tests.prefix(16)))
        #expect(try report.fitting(20).report.tests.isEmpty)
    }

    @Test("that a test waits at a hub counts before that it was started, and then the later report")
    func better() {
        let (started, waiting) = (Self.test(), Self.test("ada", .waiting))
        let (early, late) = (Timestamp(millisecondsSinceEpoch: 1), Timestamp(millisecondsSinceEpoch: 2))
        #expect(OpenTest.isBetter((waiting, early), than: (started, late)))
        #expect(!OpenTest.isBetter((started, late), than: (waiting, early)))
        #expect(OpenTest.isBetter((started, late), than: (started, early)))
        #expect(!OpenTest.isBetter((started, early), than: (started, late)))
    }

    @Test("the reports that are kept are the latest, within all bounds", arguments: 0..<40)
    func bounds(_ seed: UInt64) {
        var generator = Generator(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        let now = Timestamp(millisecondsSinceEpoch: 4_000_000_000_000)
        let items = (0..<Int.random(in: 1...1500, using: &generator)).map { number in
            ProgressBounds.Item(
                name: "\(number)",
                heard: now.adding(seconds: -Double.random(in: 0...40 * 86_400, using: &generator).rounded()),
                sizeBytes: Int.random(in: 0...(64 << 10), using: &generator),
                person: Bool.random(using: &generator) ? "p\(Int.random(in: 0..<9, using: &generator))" : nil)
        }
        let gone = ProgressBounds.superfluous(items, now: now)
        let kept = items.filter { !gone.contains($0.name) }
        #expect(kept.count <= ProgressBounds.mostReports)
        #expect(kept.map(\.sizeBytes).reduce(0, +) <= ProgressBounds.mostBytes)
        #expect(kept.allSatisfy { now.seconds(since: $0.heard) <= Double(ProgressBounds.ageDays) * 86_400 })
        for (person, own) in Dictionary(grouping: kept, by: \.person) where person != nil {
            #expect(own.count <= ProgressBounds.mostReportsOfPerson)
            // Nothing that a person's key reports takes the place of a later one of the same key.
            let goneOfPerson = items.filter { $0.person == person && gone.contains($0.name) }
            let oldest = own.map(\.heard).min() ?? now
            if own.count == ProgressBounds.mostReportsOfPerson {
                #expect(goneOfPerson.allSatisfy { $0.heard <= oldest })
            }
        }
        let others = items.filter { $0.person == nil && now.seconds(since: $0.heard) <= 30 * 86_400 }
        // A person's key, however many reports it sends, does not push out those of others.
        if others.count < 500 { #expect(others.allSatisfy { !gone.contains($0.name) }) }
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }
}
