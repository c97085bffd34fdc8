import Model
import Testing

@testable import Results

@Suite("The table of results")
struct ResultTableTests {
    private let ada = Person(id: "ada", name: "Ada", group: "7b")
    private let boris = Person(id: "boris", name: "Борис")
    private let questionnaire = ResultsFixture.questionnaire([
        Question(id: "q1", text: "Capital?", kind: .choice, options: ["Paris", "Rome"]),
        Question(id: "score", text: "Why?", kind: .text), Question(id: "n", text: "Read this.", kind: .note),
    ])

    private func attempts() -> ResultTable {
        ResultsFixture.table(
            questionnaire,
            [
                ResultsFixture.test(
                    4, of: questionnaire, person: ada, points: [("q1", 0, 1), ("score", nil, 1)], status: .checking),
                ResultsFixture.test(1, of: questionnaire, person: ada, points: [("q1", 0, 1), ("score", 0, 1)]),
                ResultsFixture.test(2, of: questionnaire, person: ada, points: [("q1", 1, 1), ("score", 0.5, 1)]),
                ResultsFixture.test(3, of: questionnaire, person: boris, points: [("q1", 1, 1), ("score", 0, 1)]),
                ResultsFixture.test(5, of: questionnaire, person: nil),
                ResultsFixture.test(6, of: questionnaire, person: nil),
            ])
    }

    @Test("with semicolons numbers have a decimal comma, and texts stay")
    func decimalComma() {
        var (csv, plain) = (CSVText(separator: .semicolon), CSVText())
        let row: [CSVText.Cell] = [.number(3.5), .given("-0.25"), .number(4), .text("3.5; 4")]
        csv.add(row)
        plain.add(row)
        #expect(String(decoding: csv.bytes, as: UTF8.self) == "\u{FEFF}3,5;-0,25;4;\"3.5; 4\"\r\n")
        #expect(String(decoding: plain.bytes, as: UTF8.self) == "\u{FEFF}3.5,-0.25,4,3.5; 4\r\n")
    }

    @Test(
        "attempts count by their arrival, and tests without a person are one person's each",
        arguments: [
            (AttemptChoice.last, [4, 3, 5, 6]), (.first, [1, 3, 5, 6]), (.best, [2, 3, 5, 6]),
            (.all, [1, 2, 4, 3, 5, 6]),
        ])
    func choice(_ choice: AttemptChoice, _ expected: [Int]) {
        let table = attempts().choosing(choice)
        #expect(table.rows.map(\.test) == expected.map(ResultsFixture.id))
        if choice == .all { #expect(table.rows.map(\.attempt) == [1, 2, 3, 1, 1, 1]) }
    }

    @Test(
        "a test that someone else sent in a person's name takes the place of none that came with their key",
        arguments: [(AttemptChoice.last, 3), (.best, 2), (.first, 2)])
    func typed(_ choice: AttemptChoice, _ expected: Int) {
        let tests = (1...4).map { number in
            var test = ResultsFixture.test(
                number, of: questionnaire, person: ada, points: [("q1", number == 3 ? 0 : 1, 1), ("score", 0, 1)])
            // As a host counts them: those of others apart.
            let isProven = (2...3).contains(number)
            test.receipt.person = Receipt.ProvenPerson(id: "ada", verified: isProven)
            test.receipt.attempt = isProven ? number - 1 : number
            return test
        }
        let table = ResultsFixture.table(questionnaire, tests)
        #expect(table.choosing(choice).rows.map(\.test) == [ResultsFixture.id(expected)])
        #expect(table.choosing(.all).rows.count == 4)
    }

    @Test("a question of an earlier version is a column, and is not asked where the version has none")
    func versions() {
        let former = ResultsFixture.questionnaire([
            Question(id: "old", text: "Before?", kind: .text), Question(id: "q1", text: "Capital", kind: .text),
        ])
        let table = ResultsFixture.table(
            questionnaire,
            [
                ResultsFixture.test(1, of: former, person: ada, answers: [Answer(questionId: "old", value: .one("x"))]),
                ResultsFixture.test(2, of: questionnaire, person: boris),
            ])
        #expect(table.columns.map(\.id) == ["q1", "score", "old"])
        #expect(table.columns.map(\.isCurrent) == [true, true, false])
        #expect(table.rows[0].cells.map(\.isAsked) == [true, false, true])
        #expect(table.rows[1].cells.map(\.isAsked) == [true, true, false])
    }

    @Test("who of a class list has handed in nothing: of the groups from which someone has")
    func missing() {
        let table = attempts()
        let list = [
            Person(id: "eve", name: "Eve", group: "7a"), ada, Person(id: "carl", name: "Carl", group: "7b"),
        ]
        #expect(table.missing(of: list).map(\.id) == ["carl"])
        #expect(table.missing(of: [list[0], list[2]]).map(\.id) == ["eve", "carl"])
        #expect(table.missing(of: []).isEmpty)
    }

    @Test("a question that a condition hid was not asked")
    func hidden() throws {
        let json = """
            {"id": "exam", "title": "Exam", "questions": [{"id": "a", "text": "A", "kind": "boolean"},
             {"id": "b", "text": "B", "kind": "text", "condition": {"question": "a", "is": true}}]}
            """
        let questionnaire = try Questionnaire(json: Array(json.utf8))
        let tests = [true, false].enumerated().map { number, value in
            ResultsFixture.test(
                number + 1, of: questionnaire, person: nil, answers: [Answer(questionId: "a", value: .truth(value))])
        }
        #expect(ResultsFixture.table(questionnaire, tests).rows.map { $0.cells[1].isAsked } == [true, false])
    }

    @Test("a question that a pool did not draw was not asked, and counts in no figure")
    func pool() throws {
        let json = """
            {"id": "exam", "title": "Exam", "sections": [{"id": "s", "questions": ["a", "b", "c", "d"], "pick": 1}],
             "questions": [{"id": "a", "text": "?"}, {"id": "b", "text": "?"}, {"id": "c", "text": "?"},
              {"id": "d", "text": "?"}]}
            """
        let questionnaire = try Questionnaire(json: Array(json.utf8))
        let tests = (1...8).map { ResultsFixture.test($0, of: questionnaire, person: nil) }
        let table = ResultsFixture.table(questionnaire, tests)
        for row in table.rows {
            let drawn = questionnaire.arranged(for: row.test).questions.map(\.id)
            let asked = zip(table.columns, row.cells).filter { $1.isAsked }.map(\.0.id)
            #expect(drawn.count == 1 && asked == drawn)
        }
        #expect(ResultStatistics(table).questions.reduce(0) { $0 + $1.asked } == 8)
    }

    @Test("CSV: one row a test, one column a question, a byte order mark, CR LF and unique names")
    func csv() {
        let text = String(decoding: attempts().choosing(.best).csv(), as: UTF8.self)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(
            lines[0] == "\u{FEFF}test,person,name,group,attempt,status,score,maximum,late,received,q1,question:score")
        #expect(lines.count == 6 && lines[5].isEmpty)
        #expect(
            lines[1].hasPrefix(
                "\"00000000-0000-4000-8000-000000000002\",ada,Ada,7b,2,rated,1.5,2,false,1970-01-01T00:00:02"))
        #expect(lines[2].contains(",boris,Борис,,1,rated,1,2,"))
        let points = String(decoding: attempts().choosing(.best).csv(.points, separator: .semicolon), as: UTF8.self)
        #expect(points.contains(";1;0,5\r\n"))
    }

    @Test(
        "numbers that people gave keep all their digits",
        arguments: [(1.602e-19, "1.602e-19"), (-5, "-5"), (1e300, "1e+300")])
    func givenNumbers(_ number: Double, _ text: String) {
        let questionnaire = ResultsFixture.questionnaire([Question(id: "q", text: "?", kind: .number)])
        let test = ResultsFixture.test(
            1, of: questionnaire, person: nil, answers: [Answer(questionId: "q", value: .number(number))])
        let csv = String(decoding: ResultsFixture.table(questionnaire, [test]).csv(), as: UTF8.self)
        #expect(csv.hasSuffix(",\(text)\r\n"), "\(csv)")
    }

    @Test(
        "the answer to a question for a number is a number also where devices stored it as a text, and has a mean",
        arguments: ["-5", "0.5", "123456789012345", "1e-3"])
    func numbersAsTexts(_ text: String) {
        let questionnaire = ResultsFixture.questionnaire([Question(id: "q", text: "?", kind: .number)])
        let test = ResultsFixture.test(
            1, of: questionnaire, person: nil, answers: [Answer(questionId: "q", value: .one(text))])
        let table = ResultsFixture.table(questionnaire, [test])
        let written = WrittenNumber(text).plain ?? "-"
        let csv = String(decoding: table.csv(), as: UTF8.self)
        #expect(csv.hasSuffix(",\(written)\r\n"), "\(csv)")
        let semicolons = String(decoding: table.csv(separator: .semicolon), as: UTF8.self)
        #expect(semicolons.hasSuffix(";\(written.replacing(".", with: ","))\r\n"), "\(semicolons)")
        let question = ResultStatistics(table).questions[0]
        #expect(question.numbers?.mean == Double(text) && question.freeAnswers == 0)
    }

    @Test(
        "a number of more digits than a spreadsheet keeps is a text",
        arguments: ["12345678901234567890.25", "4111111111111111"])
    func manyDigits(_ text: String) {
        let questionnaire = ResultsFixture.questionnaire([Question(id: "q", text: "?", kind: .number)])
        let test = ResultsFixture.test(
            1, of: questionnaire, person: nil, answers: [Answer(questionId: "q", value: .one(text))])
        let csv = String(decoding: ResultsFixture.table(questionnaire, [test]).csv(), as: UTF8.self)
        #expect(csv.hasSuffix(",\"\(text)\"\r\n"), "\(csv)")
    }

    @Test("the code book names each column of the table, in its order")
    func codeBook() {
        let book = String(decoding: attempts().codeBook(), as: UTF8.self).split(separator: "\r\n").dropFirst()
        let names = book.map { $0.prefix { $0 != "," } }
        let table = String(decoding: attempts().csv(), as: UTF8.self).dropFirst().split(separator: "\r\n")[0]
        #expect(names.joined(separator: ",") == table)
        #expect(book.last == "question:score,Why?,text,,1,false")
        #expect(book.dropLast().last == "q1,Capital?,choice,Paris; Rome,1,false")
    }

    @Test(
        "a cell that a spreadsheet would calculate is a text, from which one apostrophe is taken away again",
        arguments: [
            ("=1+1", "'=1+1"), ("+7 900", "'+7 900"), ("-5", "'-5"), ("@SUM(A1)", "'@SUM(A1)"), ("\t=1", "'\t=1"),
            ("  =1", "'  =1"), ("\r=1", "'\r=1"), ("＝1", "'＝1"), ("'=1", "''=1"), ("''@x", "'''@x"), ("'tis", "'tis"),
            ("Ada", "Ada"), ("", ""), ("a=b", "a=b"), ("5-3", "5-3"),
        ])
    func formula(_ text: String, _ expected: String) { #expect(CSVText.withoutFormula(text) == expected) }

    @Test(
        "a text that a spreadsheet would read as a number, a date or a truth value is quoted: an import can leave it as it is",
        arguments: [
            ("007", true), ("3,5", true), ("1/2", true), ("12:30", true), ("2026-11-26", true), ("1e5", true),
            ("10 %", true), ("TRUE", true), ("false", true), ("12345678901234567890", true), ("7b", false),
            ("Paris", false), ("Q1", false), ("", false), ("–", false),
            ("1 000,50 €", true),
        ])
    func values(_ text: String, _ isQuoted: Bool) {
        var csv = CSVText(separator: .semicolon)
        csv.add([.text(text)])
        #expect(
            String(decoding: csv.bytes, as: UTF8.self) == (isQuoted ? "\u{FEFF}\"\(text)\"\r\n" : "\u{FEFF}\(text)\r\n")
        )
    }

    @Test("quotes, separators, line breaks and spaces at the ends survive")
    func quoting() {
        var csv = CSVText()
        csv.add([
            .text("a,b"), .text("say \"hi\""), .text("two\nlines"), .text(" x"), .text("cr\rlf"), .number(-1.25),
            .empty,
        ])
        #expect(
            String(decoding: csv.bytes, as: UTF8.self)
                == "\u{FEFF}\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\" x\",\"cr\rlf\",-1.25,\r\n")
    }
}
