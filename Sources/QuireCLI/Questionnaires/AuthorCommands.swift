import ArgumentParser
import FoundationEssentials
import Model
import OutboxStore
import Quire
import Terminal

/// The output of `new`, `edit` and `delete`: when it is printed, the change is on disk.
private struct ChangeLine: Encodable {
    /// The questionnaire's permanent id.
    var id: String
    @Nullable var change: TestID?
    /// `discarded` where it was taken back before anybody heard of it.
    var status: String
}

struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Create a questionnaire; it can be taken at once, and is sent with the next sync.",
        discussion: """
            With a title your editor ($VISUAL, $EDITOR) opens with a template. With --from the document is read from a \
            file; - is standard input. The id that is printed never changes.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Argument(help: "Its title.") var title: String?
    @Option(help: ArgumentHelp("A document to use as it is.", valueName: "file.json"), transform: FileArgument.named)
    var from: String?

    func validate() throws {
        if title?.allSatisfy(\.isWhitespace) == true {
            throw ValidationError("the title is empty: give one, or --from FILE")
        }
        if title == nil, from == nil { throw ValidationError("give a title, or --from FILE") }
        if title != nil, from != nil { throw ValidationError("give a title or --from FILE, not both") }
    }

    func run() throws {
        let store = try options.openStore()
        let made: (id: String, stored: StoredChange)
        if let from {
            do throws(DocumentFault) {
                made = try Author.checked { try store.create(try InputFile.read(from)) }
            } catch {
                throw Failure(Exit.badData, "\(from): not taken: \(error)")
            }
        } else {
            let first = try Author.firstDraft(title: title ?? "")
            if Author.hasEditor {
                let (bytes, path) = try Editor.edit(first, name: "new")
                do throws(DocumentFault) {
                    made = try Author.checked { try store.create(bytes) }
                } catch {
                    throw Failure(
                        Exit.badData,
                        "not taken: \(error): your text is in \(path): correct it, then “quire new --from \(path)”")
                }
                Editor.remove(path)
            } else {
                made = try store.create(first)
            }
        }
        if format.json {
            let line = ChangeLine(id: made.id, change: made.stored.item.id, status: made.stored.item.status.rawValue)
            return Output.write(try DocumentCoding.encodeLine(line))
        }
        options.say("Made \(made.id), to be sent with “quire sync”. Take it with: quire take \(made.id)")
    }
}

struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change a questionnaire in your editor; the change is sent with the next sync.",
        discussion: """
            What you write is checked before it is saved. If it is not a questionnaire, your text stays in a file that is \
            named. Existing drafts keep the version they were started with.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Argument(help: "The questionnaire's id.", completion: StoreCompletion.questionnaire)
    var id: String
    @Option(
        help: ArgumentHelp("The changed document, instead of an editor.", valueName: "file.json"),
        transform: FileArgument.named)
    var from: String?

    func run() async throws {
        try await Session.run(options) { session in
            let opened = try await session.store.open(id: id, remote: session.remote, isOffline: session.isOffline)
            let (bytes, path) = try from.map { (try InputFile.read($0), nil) } ?? edited(opened)
            if bytes == opened.bytes {
                if let path { Editor.remove(path) }
                return options.say("Nothing was changed.")
            }
            let stored: StoredChange
            do {
                stored = try session.store.edit(opened, to: bytes)
            } catch {
                let failure = Failure(error)
                let reason = error is DocumentFault ? "not taken: \(failure.message)" : failure.message
                guard let path else { throw Failure(failure.code, "\(from ?? ""): \(reason)") }
                throw Failure(
                    failure.code,
                    "\(reason): your text is in \(path): correct it, then “quire edit \(id) --from \(path)”")
            }
            if let path { Editor.remove(path) }
            if format.json {
                let line = ChangeLine(
                    id: opened.permanentID, change: stored.item.id, status: stored.item.status.rawValue)
                return Output.write(try DocumentCoding.encodeLine(line))
            }
            options.say("Edited, to be sent with “quire sync”.")
        }
    }

    private func edited(_ opened: OpenedDocument) throws -> (bytes: [UInt8], path: String?) {
        let (bytes, path) = try Editor.edit(opened.bytes, name: id)
        return (bytes, path)
    }
}

struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a questionnaire: here at once, on the server with the next sync.",
        discussion: "One that was made here and never sent is discarded, and moves to quarantine.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Argument(help: "The questionnaire's id.", completion: StoreCompletion.questionnaire)
    var id: String

    func run() async throws {
        try await Session.run(options) { session in
            let opened = try await session.store.open(id: id, remote: session.remote, isOffline: session.isOffline)
            let stored = try session.store.delete(opened)
            if format.json {
                let line = ChangeLine(
                    id: opened.permanentID, change: stored?.item.id, status: stored?.item.status.rawValue ?? "discarded"
                )
                return Output.write(try DocumentCoding.encodeLine(line))
            }
            if stored == nil {
                options.say("Discarded: it was never sent.")
            } else {
                options.say("Deleted here; “quire sync” notifies the server.")
            }
        }
    }
}

/// Shared parts of the author's commands.
enum Author {
    static var hasEditor: Bool {
        let environment = ProcessInfo.processInfo.environment
        return Output.isInteractive || ["VISUAL", "EDITOR"].contains { environment[$0]?.isEmpty == false }
    }

    static func firstDraft(title: String) throws -> [UInt8] {
        let question = Question(
            id: "q1", text: Output.language.text("What is the question?"), kind: .choice,
            options: ["A", "B"])
        return try DocumentCoding.encode(
            Questionnaire(id: TestID.random().description, title: title, questions: [question]))
    }

    /// A fault of the document apart from all others, so that the text can be named with it.
    static func checked<Result>(_ body: () throws -> Result) throws(DocumentFault) -> Result {
        do {
            return try body()
        } catch let fault as DocumentFault {
            throw fault
        } catch {
            Failure.exit(with: error)
        }
    }
}
