import ArgumentParser
import Model
import OutboxStore
import Quire
import SystemPackage
import Wording

struct AttachCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Attach a picture or another file to an answer of a draft, or to a question of a questionnaire.",
        discussion: """
            The file is copied into the store and goes to the server after its test, or its questionnaire. A finished test \
            is frozen: reopen it to attach something. A questionnaire is changed as “quire edit” does it.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Argument(
        help: "The test's id, or its first characters; or the questionnaire's id.",
        completion: StoreCompletion.questionnaireOrDraft)
    var id: String
    @Argument(help: "The question's id.") var question: String
    @Argument(
        help: "The file; with --remove the name that it has there, or the first characters of its SHA-256.",
        completion: .file(), transform: FileArgument.named)
    var file: String
    @Option(help: "Its name in the test; the file's own name by default.") var name: String?
    @Option(help: "Its media type, such as image/jpeg; by default from the name's extension.") var type: String?
    @Flag(help: "Remove the attachment of this name.") var remove = false

    func validate() throws {
        if remove, name != nil || type != nil { throw ValidationError("--remove goes with neither --name nor --type") }
    }

    func run() async throws {
        let store = try options.openStore()
        if let test = try test(in: store) { return try attach(to: test, store) }
        try await Session.run(options) { session in
            do {
                let opened = try await session.store.open(
                    id: id, remote: session.remote, isOffline: session.isOffline)
                try attach(to: opened, session.store)
            } catch let error as StoreError {
                switch error {
                case .notOnThisDevice, .unknown: throw Failure.unknown(id)
                default: throw error
                }
            }
        }
    }

    /// - Returns: `nil` where a questionnaire is meant. The id of one that is here goes before the beginning of a test's.
    private func test(in store: QuireStore) throws -> TestID? {
        if let test = TestID(id), let item = try store.outbox.find(test), item.kind == .test {
            return try store.people.item(prefix: id).id
        }
        if try store.localLibrary.has(id) { return nil }
        do {
            let item = try store.people.item(prefix: id)
            guard item.kind == .test else { throw OutboxError.noTest(item.id, item.kind) }
            return item.id
        } catch OutboxError.notFound {
            return nil
        }
    }

    // MARK: A test

    private struct Line: Encodable {
        var id: TestID
        var status: TestStatus
        @Nullable var attachment: Attachment?
    }

    private func attach(to test: TestID, _ store: QuireStore) throws {
        if remove {
            let stored = try store.outbox.edits.detach(file, questionId: question, from: test)
            let ended = try endIfOver(test, store)
            if format.json { return try print(Line(id: test, status: ended?.status ?? stored.status)) }
            return options.say("Removed: \(file).")
        }
        let made = try store.attach(FilePath(file), to: test, questionId: question, name: name, mediaType: type)
        let ended = try endIfOver(test, store)
        if format.json {
            return try print(Line(id: test, status: (ended ?? made.test).status, attachment: made.attachment))
        }
        let size = ByteCount.format(made.attachment.sizeBytes, Output.language)
        options.say("Attached \(made.attachment.name) (\(size)); it is sent after its test.")
    }

    /// Hands in a test whose time is over, as an answer does: a file that came after the end is not in time.
    private func endIfOver(_ test: TestID, _ store: QuireStore) throws -> StoredTest? {
        let ended = try store.timeLimits.finish(test, hasAnswer: true)
        if ended != nil, !format.json { options.say(line: Output.language.endedByTimeLimit) }
        return ended
    }

    // MARK: A questionnaire

    private struct QuestionnaireLine: Encodable {
        /// The questionnaire's permanent id.
        var id: String
        /// The change that shows or shows no more; `null` where the question showed it already.
        @Nullable var change: TestID?
        var status: TestStatus
        @Nullable var attachment: MediaChange?
    }

    private func attach(to opened: OpenedDocument, _ store: QuireStore) throws {
        if remove {
            let change = try store.detach(file, questionId: question, from: opened)
            if format.json {
                return try print(
                    QuestionnaireLine(id: opened.permanentID, change: change.item.id, status: change.item.status))
            }
            return options.say("Removed: \(file); “quire sync” removes it from the server.")
        }
        let made = try store.attach(FilePath(file), to: opened, questionId: question, name: name, mediaType: type)
        guard case .media(let medium) = made.medium.change else { return }
        if format.json {
            return try print(
                QuestionnaireLine(
                    id: opened.permanentID, change: made.change?.item.id, status: made.medium.item.status,
                    attachment: medium))
        }
        let size = ByteCount.format(medium.sizeBytes, Output.language)
        options.say("Attached \(medium.name) (\(size)); it is sent after its questionnaire.")
    }

    private func print(_ line: some Encodable) throws { Output.write(try DocumentCoding.encodeLine(line)) }
}
