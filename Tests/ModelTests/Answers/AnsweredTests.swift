import Model
import Testing
import Wording

@Suite("What is an answer, and how tests are distinguished")
struct AnsweredTests {
    private func record(_ answers: [(String, String)], files: [(String, String)] = []) -> TestRecord {
        TestRecord(
            id: .random(),
            questionnaire: QuestionnaireReference(id: "a", title: "A", digest: Digest(sha256Of: [])),
            dateStarted: .epoch,
            answers: answers.map { Answer(questionId: $0, value: .one($1)) },
            attachments: files.map { question, name in
                Attachment(
                    id: .random(), questionId: question, name: name, mediaType: "image/jpeg", sizeBytes: 3,
                    digest: Digest(sha256Of: []))
            }, deviceId: "d", sequence: 1)
    }

    @Test("a file is an answer as much as a text is; a blank text is none")
    func answered() {
        let test = record([("q1", "yes"), ("q2", "  ")], files: [("q3", "well.jpg")])
        #expect(["q1", "q2", "q3", "q4"].map(test.isAnswered) == [true, false, true, false])
        let questions = ["q1", "q2", "q3", "q4"].map { Question(id: $0, text: "?", kind: .text, required: true) }
        let questionnaire = Questionnaire(id: "a", title: "A", questions: questions)
        #expect(questionnaire.unanswered(in: test).map(\.id) == ["q2", "q4"])
    }

    @Test("the first answers come in the questions' order, shortened, on one line")
    func summary() {
        let test = record([("q2", "Maize\n and  beans"), ("q1", "House 7"), ("q3", " ")], files: [("q4", "well.jpg")])
        #expect(test.summary() == "Maize and beans · House 7 · well.jpg")
        #expect(test.summary(questions: ["q1", "q2"]) == "House 7 · Maize and beans · well.jpg")
        #expect(record([]).summary().isEmpty)
        let long = record([("q1", String(repeating: "x", count: 100_000)), ("q2", String(repeating: "y", count: 60))])
        #expect(long.summary() == String(repeating: "x", count: 39) + "…")
    }

    @Test("yes and no are words of the interface's language")
    func truths() {
        var test = record([("q1", "Well")])
        test.answers += [true, false].map { Answer(questionId: "t\($0)", value: .truth($0)) }
        #expect(test.summary() == "Well · Yes · No")
        #expect(test.summary(.russian) == "Well · Да · Нет")
    }
}
