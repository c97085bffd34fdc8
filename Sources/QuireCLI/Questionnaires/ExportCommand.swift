import ArgumentParser
import Disk
import Model
import Printing
import Quire
import Sync
import SystemPackage

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write a questionnaire, an answer sheet or a test as a page to print.",
        discussion: """
            The page is one HTML file with its pictures, in the language of the document. With --test, a test: its questions in \
            its own order, with its answers and what is known of its rating; with --blank, without answers.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var quota: QuotaOption
    @Argument(help: "The questionnaire's id; not needed with --test.") var id: String?
    @Option(help: "The format: html.") var format = "html"
    @Option(help: "A test's id, or its first characters.") var test: String?
    @Flag(help: "Numbers and fields to mark alone.") var answerSheet = false
    @Flag(help: "Of a test, its questions in its order, without its answers.") var blank = false
    @Option(
        name: [.short, .long], help: ArgumentHelp("The file; else, or as -, standard output.", valueName: "file"),
        transform: FileArgument.named)
    var output: String?

    /// A page with longer pictures would be hard to open.
    private static let mostPictureBytes = 4 << 20

    func validate() throws {
        guard format == "html" else { throw ValidationError("there is no format “\(format)”: use --format html") }
        guard id != nil || test != nil else {
            throw ValidationError(
                "name a questionnaire, or a test with --test: “quire list” and “quire tests” list them")
        }
        if blank, test == nil { throw ValidationError("--blank is for a test: name one with --test") }
    }

    func run() async throws {
        try await Session.run(options, quota: quota.quota) { session in
            let document: PrintedDocument
            if let test {
                document = try self.document(ofTest: test, session)
            } else {
                document = try await questionnaire(session)
            }
            let bytes = Array(document.html.utf8)
            guard let output, output != "-" else { return Output.write(bytes) }
            try WrittenFile(output, acceptsDash: true).write { try $0(bytes) }
        }
    }

    private func questionnaire(_ session: Session) async throws -> PrintedDocument {
        let opened = try await session.store.open(
            id: id ?? "", remote: session.remote, isOffline: session.isOffline)
        return PrintedDocument(
            opened.questionnaire.shown(in: Output.language), form: answerSheet ? .answerSheet : .questions,
            picture: Self.picture(opened.questionnaire.id, nil, session))
    }

    private func document(ofTest name: String, _ session: Session) throws -> PrintedDocument {
        let store = session.store
        let item = try store.people.item(prefix: name)
        let line = try store.outboxListing.test(item)
        let record = try store.outboxListing.record(of: line)
        if let id, id != record.questionnaire.id {
            throw Failure(Exit.badData, "test \(record.id) is of “\(record.questionnaire.id)”, not of “\(id)”")
        }
        guard let questionnaire = try store.questionnaire(of: record) else {
            throw StoreError.versionIsGone(id: record.questionnaire.id, draft: record.id)
        }
        let isEmpty = blank || answerSheet
        return PrintedDocument(
            questionnaire.shown(in: Output.language, for: record),
            form: answerSheet ? .answerSheet : .questions, record: isEmpty ? nil : record,
            receipt: isEmpty ? nil : line.receipt,
            picture: Self.picture(questionnaire.id, record, session), time: LocalTime.inWords)
    }

    private static func picture(
        _ id: String, _ record: TestRecord?, _ session: Session
    ) -> @Sendable (Media) -> PrintedDocument.Picture? {
        let (store, remote) = (session.store, session.remote)
        return { medium in
            store.shownMedia.bytes(of: medium, questionnaire: id, in: record, remote: remote, most: mostPictureBytes)
                .map { PrintedDocument.Picture(mediaType: $0.mediaType, bytes: $0.bytes) }
        }
    }
}
