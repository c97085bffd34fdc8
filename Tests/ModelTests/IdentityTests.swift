import Foundation
import Model
import Simulation
import Testing
import Wording

@Suite("A test keeps its identity and moves as its life allows")
struct IdentityTests {
    @Test("a new id is a UUID of version 4, as Foundation reads it, and never the same", arguments: 0..<3)
    func newID(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var seen: Set<TestID> = []
        for _ in 0..<1000 {
            let id = TestID.random(using: &generator)
            #expect(UUID(uuidString: id.description)?.uuidString.lowercased() == id.description)
            // RFC 9562 section 5.4.
            let characters = Array(id.description)
            #expect(characters[14] == "4")
            #expect("89ab".contains(characters[19]))
            #expect(seen.insert(id).inserted)
        }
        #expect(TestID.random() != TestID.random())
    }

    @Test("ids are in the order of their written forms", arguments: 0..<3)
    func order(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let ids = (0..<500).map { _ in TestID.random(using: &generator) }
        #expect(ids.sorted().map(\.description) == ids.map(\.description).sorted())
    }

    @Test("an id is read in either case and written in lowercase")
    func reading() {
        let id = TestID("3FA85F64-5717-4562-B3FC-2C963F66AFA6")
        #expect(id?.description == "3fa85f64-5717-4562-b3fc-2c963f66afa6")
        #expect(id == TestID("3fa85f64-5717-4562-b3fc-2c963f66afa6"))
    }

    @Test(
        "anything that is no UUID is refused",
        arguments: [
            "", "3fa85f64", "3fa85f6457174562b3fc2c963f66afa6", "{3fa85f64-5717-4562-b3fc-2c963f66afa6}",
            "3fa85f64-5717-4562-b3fc-2c963f66afa", "3fa85f64-5717-4562-b3fc-2c963f66afa6 ",
            "3fa85f64-5717-4562-b3fc-2c963f66afg6", "3fa85f6-45717-4562-b3fc-2c963f66afa6",
            "../../../../../../etc/passwd00000000", "3fa85f64-5717-4562-b3fc-2c963f66af\u{434}",
        ])
    func refused(_ text: String) {
        #expect(TestID(text) == nil)
    }

    @Test("the moves of a test are those of the design's picture")
    func moves() {
        let legal: [TestStatus: Set<TestStatus>] = [
            .empty: [.inProgress, .done],
            .inProgress: [.done],
            .done: [.sending, .inProgress],
            .sending: [.done, .sent, .checking, .rated, .conflict, .rejected],
            .sent: [.checking, .rated],
            .checking: [.rated],
            .rated: [],
            .conflict: [.done],
            .rejected: [.done],
        ]
        #expect(legal.count == TestStatus.allCases.count)
        for status in TestStatus.allCases { #expect(status.legalMoves == legal[status]) }
    }

    @Test("what the server has is never taken back, and what may be on its way is no draft")
    func noWayBack() {
        for status in TestStatus.allCases {
            if status.isDelivered {
                #expect(status.legalMoves.allSatisfy { $0.isDelivered })
                #expect(status.legalMoves.allSatisfy { $0.advancement > status.advancement })
            }
            if status.legalMoves.contains(where: { $0.isDraft }) { #expect(status == .done || status == .empty) }
            #expect([status.isDraft, status.isWaiting, status.isDelivered].count { $0 } <= 1)
        }
    }

    @Test("each status has its place in the life of a test, its folder and its words")
    func words() {
        #expect(Set(TestStatus.allCases.map(\.advancement)).count == 9)
        #expect(TestStatus.allCases.sorted { $0.advancement < $1.advancement }.last == .rated)
        #expect(
            TestStatus.allCases.map(\.rawValue) == [
                "empty", "in-progress", "done", "sending", "sent", "checking", "rated", "conflict", "rejected",
            ])
        #expect(TestStatus.sending.words(.english) == "Sending…")
        #expect(TestStatus.rejected.words(.english, reason: "too late") == "Not accepted: too late")
        #expect(TestStatus.rejected.words(.russian, reason: "поздно") == "Не принято: поздно")
        #expect(TestStatus.rejected.words(.russian) == "Не принято")
        for status in TestStatus.allCases {
            for language in Language.allCases { #expect(!status.words(language).isEmpty) }
        }
    }

    @Test(
        "the language follows the locale",
        arguments: [
            ("ru_RU.UTF-8", Language.russian), ("ru-RU", .russian), ("RU", .russian), ("ru", .russian),
            ("ru@latin", .russian),
            ("en_GB", .english), ("C", .english), ("", .english), ("de_DE.UTF-8", .english), ("rue_UA", .english),
        ])
    func language(_ locale: String, _ expected: Language) {
        #expect(Language(locale: locale) == expected)
    }
}
