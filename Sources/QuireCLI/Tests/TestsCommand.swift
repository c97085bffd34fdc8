import ArgumentParser
import Model
import OutboxStore
import Quire
import QuireWording
import Terminal
import Wording

extension TestStatus: ExpressibleByArgument {}

struct TestsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tests", abstract: "List the tests on this device.",
        discussion: "On a device that people share, those of the current person and those without a person.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Option(help: "Only those of this status.") var status: TestStatus?
    @Flag(help: "The tests of all people, for the operator of the device.") var all = false

    private struct Line: Encodable {
        var id: TestID
        var status: TestStatus
        @Nullable var questionnaire: QuestionnaireReference?
        @Nullable var person: Person?
        @Nullable var dateStarted: Timestamp?
        @Nullable var dateFinished: Timestamp?
        /// When the person last changed it.
        @Nullable var dateChanged: Timestamp?
        @Nullable var answers: Int?
        /// The first answers, shortened: they distinguish tests of one questionnaire.
        @Nullable var firstAnswers: String?
        @Nullable var late: Bool?
        @Nullable var parent: TestID?
        /// The place among the versions of a test that was revised, from 1; absent for one that revises none that is here.
        @Nullable var revision: Int?
        /// The first of these versions.
        @Nullable var first: TestID?
        var attachments: [AttachedLine]
        @Nullable var evaluation: Evaluation?
        /// The rating that this one replaced.
        @Nullable var former: Receipt.FormerRating?
        @Nullable var returned: Receipt.Return?
        @Nullable var reason: String?
        @Nullable var keptAt: Timestamp?
        @Nullable var fault: String?
    }

    private struct AttachedLine: Encodable {
        var line: QuireStore.AttachmentLine

        private enum Key: CodingKey { case status, reason }

        /// The attachment's own members are among the others.
        func encode(to encoder: any Encoder) throws {
            try line.attachment.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            // Null while the test is a draft.
            try container.encode(line.status, forKey: .status)
            try container.encode(line.delivery?.reason, forKey: .reason)
        }
    }

    func run() throws {
        let store = try options.openStore()
        let shown = all ? ShownTests.all : try store.people.shown()
        let tests = try store.tests(status: status).filter { shown.includes($0.record) }
        var summaries = AnswerSummaries(tests, store, Output.language)
        if format.json {
            return try Output.json(
                try tests.map { line in
                    let chain = try line.record.map(store.revisions.chain)
                    return Line(
                        id: line.item.id, status: line.item.status, questionnaire: line.record?.questionnaire,
                        person: line.record?.person?.reference,
                        dateStarted: line.record?.dateStarted, dateFinished: line.record?.dateFinished,
                        dateChanged: line.changed, answers: line.record?.answers.count,
                        firstAnswers: summaries.summary(of: line), late: line.receipt?.late,
                        parent: line.record?.parent, revision: chain?.number, first: chain?.earlier.first,
                        attachments: try line.record.map {
                            try store.attachments(of: $0).map { AttachedLine(line: $0) }
                        } ?? [],
                        evaluation: line.receipt?.rating, former: line.receipt?.former,
                        returned: line.receipt?.returned, reason: line.receipt?.delivery?.reason,
                        keptAt: line.keptAt, fault: line.fault)
                })
        }
        for line in tests {
            let state =
                line.fault == nil
                ? line.item.status.words(
                    Output.language, reason: line.receipt?.delivery?.reason(in: Output.language),
                    isKept: line.keptAt != nil,
                    medium: store.medium)
                : Output.language.text("Unreadable")
            let attached = line.record.map { Self.attached($0.attachments) } ?? ""
            let person = all ? line.record?.person.map { " · " + $0.fullName } ?? "" : ""
            let score = line.receipt?.rating.map { " (\($0.summary(Output.language)))" } ?? ""
            let first = summaries.summary(of: line)
            let exceeded = Output.language.text(" · time limit exceeded")
            let late = line.receipt?.late == true ? exceeded : ""
            let news = Self.news(line.receipt)
            let revision = try line.record.flatMap { try store.revisions.chain(of: $0).mark(Output.language) }
            let about: String = [
                state, revision.map { " · " + $0 } ?? "", score, news, attached, late, person,
            ].joined()
            let title: String = line.record?.questionnaire.title ?? "?"
            if Output.traits.isTerminal {
                let date = line.changed?.inWords ?? ""
                let draft = line.item.status.isDraft ? Output.language.text("draft · ") : ""
                let answers = first.map { terminalSafe($0) + "\n  " } ?? ""
                Output.write(
                    Output.styled(title, .bold) + "  " + terminalSafe(draft + about) + "\n  " + answers
                        + Output.styled("\(line.item.id) · \(date)", .dim) + "\n")
            } else {
                Output.line(
                    [
                        line.item.id.description, line.item.status.rawValue, title,
                        about, line.changed?.description ?? "", first ?? "",
                    ].map {
                        $0.map { $0.isNewline || $0 == "\t" ? " " : String($0) }.joined()
                    }.joined(separator: "\t"))
            }
        }
        if tests.isEmpty { options.say("No tests.") }
    }
}

extension TestsCommand {
    /// The changes of a test after its rating.
    private static func news(_ receipt: Receipt?) -> String {
        var news = ""
        if receipt?.former != nil, receipt?.rating != nil { news += Output.language.text(" · rating changed") }
        if receipt?.returned != nil { news += Output.language.text(" · returned to be corrected") }
        return news
    }

    private static func attached(_ attachments: [Attachment]) -> String {
        if attachments.isEmpty { return "" }
        let size = ByteCount.format(attachments.reduce(0) { $0 + $1.sizeBytes }, Output.language)
        let count = attachments.count
        return " · "
            + Output.language.plural(count, one: "1 attachment, \(size)", other: "\(count) attachments, \(size)")
    }
}

struct WhyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Show a test's status, its history, and when it is sent next.",
        discussion: "Also for an attachment, and for a questionnaire that was changed here.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Argument(
        help: "The test's id, or its first characters; or the questionnaire's id.",
        completion: StoreCompletion.questionnaireOrTest)
    var test: String

    private func item(in store: QuireStore) throws -> OutboxItem {
        do {
            return try store.people.item(prefix: test)
        } catch OutboxError.notFound {
            if let item = try store.questionnaireChanges.openChange(ofQuestionnaire: test) { return item }
            guard try store.localLibrary.has(test) else { throw Failure.unknown(test) }
            throw Failure(
                Exit.badData,
                "no change of questionnaire “\(test)” waits here: “quire show \(test)” shows it, “quire tests” lists the tests"
            )
        }
    }

    func run() throws {
        let store = try options.openStore()
        let explanation = try store.explain(try item(in: store))
        if format.json { return try Output.json(ExplanationDocument(explanation, Output.language)) }
        Self.tell(explanation, store)
        for other in explanation.otherVersions {
            Output.line("")
            Self.tell(other, store)
        }
    }

    private static func tell(_ explanation: Explanation, _ store: QuireStore) {
        Output.write(Output.styled(explanation.title ?? explanation.id.description, .bold) + "\n")
        let words = explanation.words(Output.language)
        Output.line(words.state)
        for fact in words.facts { Output.line("  " + fact) }
        let rated = explanation.evaluation?.questions ?? explanation.review ?? []
        if !rated.isEmpty {
            // Without its questionnaire, or its file, what the server says is printed.
            let record = try? store.outbox.test(explanation.id)?.record
            let questionnaire = record.flatMap {
                try? store.questionnaire(of: $0)?.shown(in: Output.language, for: $0)
            }
            ResultPrinter(questionnaire: questionnaire, record: record).print(rated)
        }
        Output.line(words.next)
        Output.write(Output.styled(explanation.file, .dim) + "\n")
    }
}
