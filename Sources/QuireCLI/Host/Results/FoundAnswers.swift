import Model
import Results
import Terminal

/// Free answers that were found, for people at a terminal and for scripts.
struct FoundAnswers {
    let free: FreeAnswers
    let search: AnswerSearch
    let language: Language

    struct Document: Encodable {
        var question: String
        var test: TestID
        var person: Person?
        var attempt: Int
        var answer: String
    }

    var documents: [Document] {
        free.questions.flatMap { question in
            search.hits(in: question.answers).map {
                Document(
                    question: question.column.writtenID, test: $0.test, person: $0.person, attempt: $0.attempt,
                    answer: $0.text)
            }
        }
    }

    var text: String {
        guard !free.questions.isEmpty else {
            return language.text("No question of this questionnaire is answered in people’s own words.") + "\n"
        }
        return free.questions.map { question in
            let hits = search.hits(in: question.answers)
            let head = question.column.textFormat.line(of: question.column.question.text)
            let count = language.found(hits.count, of: question.answers.count)
            let lines = hits.map { answer in
                let name = answer.person?.fullName ?? String(answer.test.description.prefix(8))
                return "  \(name): " + answer.text.split(whereSeparator: \.isNewline).joined(separator: " ")
            }
            return ([head, count] + lines).map(terminalSafe).joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
    }
}
