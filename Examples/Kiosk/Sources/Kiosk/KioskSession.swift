import Quire
import QuireWording

/// What a kiosk does: it lists questionnaires, takes tests and syncs.
public struct KioskSession {
    let store: QuireStore
    let remote: any Remote
    /// Shows a line.
    let show: (String) -> Void
    /// Shows a question and reads a line of the person's; `nil` when they leave.
    let ask: (String) -> String?

    public init(
        store: QuireStore, remote: any Remote, show: @escaping (String) -> Void, ask: @escaping (String) -> String?
    ) {
        self.store = store
        self.remote = remote
        self.show = show
        self.ask = ask
    }

    /// Lists the questionnaires on this device, and how far each test has come.
    public func list() throws {
        let items = try store.library()
        if items.isEmpty { show("There are no questionnaires on this device yet. Sync first.") }
        for item in items {
            show("\(item.id): \(item.title) (\(item.document.questionCount) questions)")
        }
        for line in try store.tests() {
            let state = try store.explain(line.item).words(.english).state
            show("  \(line.record?.questionnaire.title ?? line.item.id.description): \(state)")
        }
    }

    /// Takes a test, or continues its draft. Each answer is saved before the next question is asked.
    public func take(_ id: String) async throws {
        // From this device where the questionnaire is here, else from the server.
        let document = try await store.open(id: id, remote: remote)
        let draft = try store.draft(ofQuestionnaire: id) ?? store.begin(document)
        // A draft keeps the version that it was started with.
        let questionnaire = try store.questionnaire(of: draft.record) ?? document.questionnaire
        for question in questionnaire.questions where !draft.record.isAnswered(question.id) {
            guard try answer(question, in: draft.record.id, questionnaire) else {
                show("Your answers are saved. Take it again to continue.")
                return
            }
        }
        _ = try store.finish(draft.record.id)
        show("Thank you. Your answers are saved and will be sent.")
    }

    /// Asks until there is an answer that fits, or the question is skipped.
    ///
    /// - Returns: `false` when the person left.
    private func answer(_ question: Question, in draft: TestID, _ questionnaire: Questionnaire) throws -> Bool {
        let options = question.options.enumerated().map { "\n  \($0.offset + 1)  \($0.element)" }.joined()
        while let line = ask(question.text + options) {
            if line.isEmpty {
                if !question.required { return true }
                show("This question needs an answer.")
                continue
            }
            do {
                _ = try store.answer(draft, [question.id: value(of: line, question)], questionnaire)
                return true
            } catch let fault as AnswerFault {
                show("\(fault)")
            }
        }
        return false
    }

    /// Options are chosen by their numbers, several with commas between them.
    private func value(of line: String, _ question: Question) -> Answer.Value {
        func option(_ text: Substring) -> String {
            let text = text.split(separator: " ").joined(separator: " ")
            guard let number = Int(text), question.options.indices.contains(number - 1) else { return text }
            return question.options[number - 1]
        }
        return switch question.kind {
        case .choice: .one(option(line[...]))
        case .choices: .several(line.split(separator: ",").map(option))
        default: .one(line)
        }
    }

    /// Fetches what is new and sends what waits. Without a network everything stays as it is, for the next time.
    public func sync() async throws {
        do {
            let pulled = try await store.puller(remote).pull()
            show("\(pulled.new.count) new questionnaires, \(pulled.updated.count) updated.")
        } catch let failure as RemoteFailure {
            show("Nothing was fetched: \(failure).")
        }
        let report = try await store.sweeper(remote).sweep()
        show("\(report.sent.count) sent, \(report.waiting) waiting.")
        for id in report.rejected { show("\(id) was not accepted.") }
    }
}
