import ArgumentParser
import Model
import OutboxStore
import Quire
import SystemPackage

struct AttachCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Attach a picture or another file to an answer of a draft.",
        discussion: """
            The file is copied into the store and goes to the server after its test. A finished test is frozen: reopen \
            it to attach something.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Argument(help: "The test's id, or its beginning.") var test: String
    @Argument(help: "The question's id.") var question: String
    @Argument(help: "The file; with --remove the name that it has in the test.") var file: String
    @Option(help: "What it is called in the test; the file's own name unless told.") var name: String?
    @Option(help: "Its media type, like image/jpeg; unless told, its name's ending tells.") var type: String?
    @Flag(help: "Take the attachment of this name away.") var remove = false

    func validate() throws {
        if remove, name != nil || type != nil { throw ValidationError("--remove goes with neither --name nor --type") }
    }

    private struct Line: Encodable {
        var id: TestID
        var status: TestStatus
        @Nullable var attachment: Attachment?
    }

    func run() throws {
        let store = try QuireStore.open(at: options.path)
        let item = try store.outbox.find(prefix: test)
        guard item.kind == .test else { throw OutboxError.noTest(item.id, item.kind) }
        if remove {
            let stored = try store.outbox.detach(file, questionId: question, from: item.id)
            if format.json { return try print(Line(id: item.id, status: stored.status)) }
            return options.say("Taken away: \(file).", "Убрано: \(file).")
        }
        let made = try store.attach(
            FilePath(file), to: item.id, questionId: question, name: name, mediaType: type)
        if format.json {
            return try print(Line(id: item.id, status: made.test.status, attachment: made.attachment))
        }
        let size = ByteCount.format(made.attachment.sizeBytes)
        options.say(
            "Attached \(made.attachment.name) (\(size)); it goes to the server after its test.",
            "Приложено: \(made.attachment.name) (\(size)); уйдёт на сервер после теста.")
    }

    private func print(_ line: Line) throws { Output.write(try DocumentCoding.encodeLine(line)) }
}
