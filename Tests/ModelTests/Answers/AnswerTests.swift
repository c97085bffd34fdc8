import Model
import Testing
import Wording

@Suite("An answer is matched to its question, or refused with a sentence")
struct AnswerTests {
    private let colours = Question(
        id: "q1", text: "?", kind: .choice, options: ["Red", "Ёлка", "red!", "Café", "Café"])

    @Test(
        "an option is matched to the letter first, then as search sees it",
        arguments: [
            ("Red", 0), ("red!", 2), ("елка", 1), ("ЁЛКА!", 1), ("Café", 3), ("Cafe\u{301}", 3),
        ])
    func matching(_ given: String, _ index: Int) throws {
        let answer = try colours.answer(.one(given))
        #expect(answer.optionIndexes == [index])
        #expect(answer.value == .one(colours.options[index]))
        #expect(answer.questionId == "q1")
    }

    @Test("what fits no option, or several alike, is refused by name", arguments: ["Blue", "RED", "cafe", " ", "!"])
    func noOption(_ given: String) {
        let fault = #expect(throws: AnswerFault.self) { try colours.answer(.one(given)) }
        #expect(fault?.description == "question “q1”: “\(given)” is not one of its options")
    }

    @Test("what is given twice is not called a stranger", arguments: ["A", "a "])
    func givenTwice(_ second: String) {
        let question = Question(id: "q", text: "?", kind: .choices, options: ["A", "B"])
        let fault = #expect(throws: AnswerFault.self) { try question.answer(.several(["A", second])) }
        #expect(fault?.reason.description == "“\(second)” is given more than once")
    }

    @Test("a list of one is one answer, a list of two is not, nothing takes the answer away")
    func lists() throws {
        #expect(try colours.answer(.several(["Red"])).optionIndexes == [0])
        #expect(try colours.answer(.several([])).isBlank)
        #expect(try colours.answer(.one("")).isBlank)
        let fault = #expect(throws: AnswerFault.self) { try colours.answer(.several(["Red", "Ёлка"])) }
        #expect(fault?.reason.description == "takes one answer, and 2 were given")
    }

    @Test("of several options that read the same each one is taken once, in the order of the question")
    func duplicateOptions() throws {
        let question = Question(id: "q", text: "?", kind: .choices, options: ["A 2.", "B", "A 2.", "C"])
        #expect(try question.answer(.several(["A 2.", "A 2."])).optionIndexes == [0, 2])
        #expect(throws: AnswerFault.self, "either of two could be meant") { try question.answer(.one("a 2")) }
        let answer = try question.answer(.several(["C", "B"]))
        #expect(answer.optionIndexes == [1, 3])
        #expect(answer.value == .several(["B", "C"]))
        #expect(try question.answer(.one("B")).value == .several(["B"]))
        #expect(throws: AnswerFault.self) { try question.answer(.several(["B", "B"])) }
        #expect(throws: AnswerFault.self) { try question.answer(.several(["A 2.", "A 2.", "A 2."])) }
        #expect(try question.answer(.several(["", "B", ""])).value == .several(["B"]))
    }

    @Test("places that the question does not have are left out")
    func places() {
        let question = Question(id: "q", text: "?", kind: .choices, options: ["a", "b", "c"])
        #expect(question.answer(choosing: [2, 0, 2, -1, 3]).optionIndexes == [0, 2])
        #expect(question.answer(choosing: [2, 0]).value == .several(["a", "c"]))
        let one = Question(id: "q", text: "?", kind: .choice, options: ["a", "b"])
        #expect(one.answer(choosing: [1]).value == .one("b"))
        #expect(one.answer(choosing: []).isBlank)
    }

    @Test(
        "a number is taken as it is written in different countries, and stored in one form",
        arguments: [
            ("5", "5"), (" 5 ", "5"), ("-1,5", "-1.5"), ("1.5", "1.5"), ("+3", "+3"), ("1e3", "1e3"), ("0", "0"),
            ("", ""), ("  ", ""), ("3 500", "3500"), ("1,000.5", "1000.5"), ("1,000,000", "1000000"), ("1 000", "1000"),
            ("\u{A0}7\n", "7"), ("007", "007"), ("\u{2212}1.5", "-1.5"), ("\u{2212}1,5", "-1.5"),
        ])
    func numbers(_ given: String, _ expected: String) throws {
        let question = Question(id: "q", text: "?", kind: .number)
        #expect(try question.answer(.one(given)).value == .one(expected))
    }

    @Test(
        "what is no number is refused",
        arguments: [
            "five", "1.2.3", "nan", "inf", "-infinity", "1e999", "0x1F", "0x1p4", "5 apples", "--5", "٣", ",", ".", "-",
            "1 00",
        ])
    func noNumber(_ given: String) {
        let question = Question(id: "q", text: "?", kind: .number)
        let fault = #expect(throws: AnswerFault.self) { try question.answer(.one(given)) }
        #expect(fault?.reason.description == "“\(given)” is not a number")
    }

    @Test("a number that may be either of two is asked about, never guessed")
    func eitherOfTwo() {
        let question = Question(id: "q", text: "?", kind: .number)
        let fault = #expect(throws: AnswerFault.self) { try question.answer(.one("1,500")) }
        #expect(fault?.reason.description == "“1,500” may mean 1.5 or 1500: write 1500 or 1.5")
    }

    @Test(
        "a bare number of a document keeps its value to the last digit",
        arguments: [
            ("7", "7"), ("7.0", "7"), ("1.5", "1.5"), ("9007199254740993", "9007199254740993"),
            ("9223372036854775808", "9223372036854775808"), ("9007199254740993.5", "9007199254740993.5"),
            ("-0.12345678901234567890", "-0.12345678901234567890"), ("1234567890123456.5e2", "1234567890123456.5e2"),
        ])
    func bareNumber(_ written: String, _ kept: String) throws {
        let values = try DocumentCoding.decode([String: Answer.Value].self, from: Array("{\"q\": \(written)}".utf8))
        #expect(values["q"]?.texts == [kept])
        let number = Question(id: "q", text: "?", kind: .number)
        #expect(try number.answer(.one(kept)).value == .one(kept))
    }

    @Test("free text is kept as it was written")
    func text() throws {
        let question = Question(id: "q", text: "?", kind: .text, options: ["a"])
        for given in ["  two\n lines ", "", "e\u{301}", "\u{1F600}"] {
            #expect(Array(try question.answer(.one(given)).texts.joined().utf8) == Array(given.utf8))
        }
    }

    @Test(
        "an answer in JSON is a text, a list or a number",
        arguments: [
            (#""a""#, Answer.Value.one("a")), (#"["a","b"]"#, .several(["a", "b"])), ("[]", .several([])),
            ("5", .number(5)),
            ("-5.25", .number(-5.25)), ("true", .truth(true)), (#"{"row": "a"}"#, .object(["row": .string("a")])),
            (#""5""#, .one("5")), ("9007199254740993", .one("9007199254740993")),
        ])
    func decoding(_ json: String, _ expected: Answer.Value) throws {
        #expect(try DocumentCoding.decode([Answer.Value].self, from: bytes("[" + json + "]")) == [expected])
        let answer = Answer(questionId: "q", value: expected, optionIndexes: [1])
        #expect(try DocumentCoding.decode(Answer.self, from: DocumentCoding.encode(answer)) == answer)
    }

    @Test("anything else in the place of an answer is named", arguments: ["null", "[1]", "[[]]"])
    func decodingRefused(_ json: String) {
        let fault = #expect(throws: DocumentFault.self) {
            try DocumentCoding.decode([String: Answer.Value].self, from: bytes(#"{"q1": "# + json + "}"))
        }
        #expect(fault?.field?.hasPrefix("q1") == true)
    }

    @Test("blank is what has nothing but spaces")
    func blank() {
        for value: Answer.Value in [.one(""), .one(" \n\u{A0}"), .several([]), .several(["", " "])] {
            #expect(Answer(questionId: "q", value: value).isBlank)
        }
        #expect(!Answer(questionId: "q", value: .several(["", "a"])).isBlank)
    }
}
