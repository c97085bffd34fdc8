import Foundation
import Model
import Testing
import Wording

@Suite("Written coordinates are read in one way everywhere")
struct WrittenLocationTests {
    private struct Case: Decodable {
        var text: String
        var latitude: Double?
        var longitude: Double?
        var accuracyMeters: Double?
        var isOutOfRange: Bool?
    }

    private static func cases() throws -> [Case] {
        let tests = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = tests.appending(path: "../Vectors/locations.json")
        return try JSONDecoder().decode([Case].self, from: Data(contentsOf: file))
    }

    @Test("each case of the shared vectors has its meaning, and what is shown of it is read as the same")
    func vectors() throws {
        let cases = try Self.cases()
        #expect(cases.count > 60)
        for one in cases {
            guard let latitude = one.latitude, let longitude = one.longitude else {
                #expect(WrittenLocation(one.text) == (one.isOutOfRange == true ? .outOfRange : .none), "“\(one.text)”")
                continue
            }
            let place = Location(latitude: latitude, longitude: longitude, accuracyMeters: one.accuracyMeters)
            #expect(WrittenLocation(one.text) == .location(place), "“\(one.text)”")
            #expect(WrittenLocation(place.text) == .location(place))
        }
    }

    @Test("an answer is an object in range, and a draft keeps what is none yet")
    func answers() throws {
        let question = Question(id: "where", text: "?", kind: .location)
        let typed = try question.answer(.one("55,75; 37,62"))
        #expect(typed.value == .object(["latitude": .number(55.75), "longitude": .number(37.62)]))
        #expect(question.line(typed) == "55.75, 37.62" && question.problem(with: typed) == nil)
        let given: [String: JSONValue] = [
            "latitude": .integer(-33), "longitude": .number(151.2), "accuracyMeters": .number(4.5),
            "altitude": .integer(9),
        ]
        let measured = try question.answer(.object(given))
        #expect(measured.value == .object(given) && question.line(measured) == "-33, 151.2 (±4.5 m)")
        for wrong: Answer.Value in [
            .one("Moscow"), .one("91, 0"), .object(["latitude": .number(1)]), .several(["1, 2", "3, 4"]),
            .object(["latitude": .number(1), "longitude": .number(181)]), .number(4),
        ] {
            #expect(throws: AnswerFault.self) { try question.answer(wrong) }
        }
        func problem(_ text: String) -> AnswerProblem? {
            question.problem(with: Answer(questionId: "where", value: .one(text)))
        }
        #expect(problem("Moscow") == .notLocation("Moscow") && problem("91, 0") == .notOnEarth)
        #expect(problem("1, 2") == nil && problem(" ") == nil)
        #expect(question.words(for: .notOnEarth, .russian).hasPrefix("Широта бывает"))
        #expect(!question.kind.hasKey && !question.isAskedAsText)
    }
}
