import ArgumentParser
import Model
import OutboxStore
import Quire
import QuireWording
import SystemPackage

struct OutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "Inspect the outbox: send again, discard, reopen, forget, move tests to another machine.",
        subcommands: [
            Ls.self, Path.self, Retry.self, Discard.self, Reopen.self, OutboxForget.self, OutboxExport.self,
            OutboxImport.self,
        ])

    /// Which of two versions it was.
    private static func tell(_ other: OutboxItem, _ options: StoreOptions) {
        options.say("That was the version in conflict; the one in \(other.status.rawValue) is as it was.")
    }

    struct Ls: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the files of the outbox by folder.")
        @OptionGroup var options: StoreOptions
        @OptionGroup var format: JSONOption

        private struct Line: Encodable {
            var id: TestID
            var kind: OutboxKind
            var status: TestStatus
            /// The name of a file that belongs to an answer; the questionnaire's title for a change.
            @Nullable var name: String?
            var file: String
        }

        func run() throws {
            let store = try options.openStore()
            let scan = try store.outbox.scan()
            if format.json {
                return try Output.json(
                    scan.items.map {
                        Line(
                            id: $0.id, kind: $0.kind, status: $0.status, name: Self.name($0, store),
                            file: store.path.pushing($0.path).string)
                    })
            }
            for item in scan.items {
                let kind = item.kind == .test ? "" : "\t\(item.kind.rawValue)\t\(Self.name(item, store) ?? "?")"
                Output.line("\(item.status.rawValue)\t\(item.id)" + kind)
            }
            for stranger in scan.strangers {
                Output.complain("\(stranger.path.string): \(stranger.reason): see “quire doctor”")
            }
        }

        private static func name(_ item: OutboxItem, _ store: QuireStore) -> String? {
            guard item.kind != .test, let change = try? store.outbox.readChange(item).change else { return nil }
            if case .media(let media) = change { return media.name }
            return change.title.map { $0.isNewline || $0 == "\t" ? " " : String($0) }.joined()
        }
    }

    struct Path: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "path", abstract: "Print the file of a test, or without one the outbox's folder.",
            discussion: "Where another version of the test lies in conflict, its file is printed on a second line.")
        @OptionGroup var options: StoreOptions
        @OptionGroup var format: JSONOption
        @Argument(help: "The test's id, or its first characters.", completion: StoreCompletion.test)
        var test: String?

        private struct Line: Encodable {
            var id: TestID
            var status: TestStatus
            var file: String
        }

        func run() throws {
            let store = try options.openStore()
            guard let test else {
                let folder = store.path.pushing(OutboxLayout.root).string
                return format.json ? try Output.json(["folder": folder]) : Output.line(folder)
            }
            let item = try store.outbox.find(prefix: test)
            let lines = [item, try store.outbox.otherVersion(of: item)].compactMap(\.self).map {
                Line(id: $0.id, status: $0.status, file: store.path.pushing($0.path).string)
            }
            if format.json { return try Output.json(lines) }
            for line in lines { Output.line(line.file) }
        }
    }

    struct Retry: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract:
                "Send a test again: one that waits for a later attempt, was not accepted, or is missing on the server."
        )
        @OptionGroup var options: StoreOptions
        @OptionGroup var format: JSONOption
        @Flag(
            help:
                "All that wait for a later attempt, and all that were refused by something other than the server."
        )
        var all = false
        @Flag(help: "All tests that the server acknowledged and no longer has.") var lost = false
        @Argument(help: "The test's id, or its first characters.", completion: StoreCompletion.test)
        var test: String?

        private struct Result: Encodable {
            var retried: [TestID]
            var undecided: [TestID]
            var absentFiles: [String]
        }

        func validate() throws {
            guard test == nil ? all || lost : !all && !lost else {
                throw ValidationError("name one test, or give --all, --lost or both")
            }
        }

        func run() throws {
            let store = try options.openStore()
            if let test {
                let item = try store.outbox.find(prefix: test)
                let report = try store.retry(item.id)
                if format.json { return try Output.json(Acknowledgement(id: item.id, status: .done)) }
                options.say("\(item.id) will be sent with the next sync.")
                return complain(of: report)
            }
            var report = QuireStore.RetryReport()
            if lost { report = try store.resending.resendMissing() }
            if all {
                let others = try store.retryAll()
                report.retried += others.retried.filter { !report.retried.contains($0) }
                report.undecided += others.undecided
            }
            if format.json {
                return try Output.json(
                    Result(
                        retried: report.retried, undecided: report.undecided, absentFiles: report.absentFiles))
            }
            options.say("To be sent with the next sync: \(report.retried.count).")
            if !report.undecided.isEmpty {
                options.say(
                    "Waiting for your decision, one by one: \(report.undecided.count): “quire outbox ls”, “quire why ID”."
                )
            }
            complain(of: report)
        }

        private func complain(of report: QuireStore.RetryReport) {
            for name in report.absentFiles {
                Output.complain(
                    "“\(name)” is not on this device any more and does not go along: attach it to a new test")
            }
        }
    }

    struct Discard: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "discard", abstract: "Move a test out of the outbox, to quarantine.")
        @OptionGroup var options: StoreOptions
        @OptionGroup var format: JSONOption
        @Argument(help: "The test's id, or its first characters.", completion: StoreCompletion.test)
        var test: String

        private struct Line: Encodable {
            var id: TestID
            /// Where it lies now.
            var file: String
            /// Whether it may arrive all the same: “kept” on its way, or “unknown” where a reply was lost.
            @Nullable var reach: String?
        }

        func run() throws {
            let store = try options.openStore()
            let item = try store.outbox.undecided(store.outbox.find(prefix: test).id)
            let other = try store.outbox.otherVersion(of: item)
            let exposure = try store.explainer.exposure(of: item)
            let place = try store.outbox.discard(item.id)
            store.journal.record("discarded", test: item.id)
            let file = store.path.pushing(place).string
            if format.json {
                let word = exposure.map { $0 == .mayHaveArrived ? "unknown" : "kept" }
                return try Output.json(Line(id: item.id, file: file, reach: word))
            }
            if let exposure {
                options.say("Discarded, but \(exposure.words(Output.language)). It is now in \(file).")
            } else {
                options.say("Discarded. It is now in \(file).")
            }
            if let other { OutboxCommand.tell(other, options) }
        }
    }

    struct Reopen: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reopen",
            abstract: "Change a finished test: as a draft again or, once the server may have it, as a new revision."
        )
        @OptionGroup var options: StoreOptions
        @OptionGroup var format: JSONOption
        @Argument(help: "The test's id, or its first characters.", completion: StoreCompletion.test)
        var test: String

        func run() throws {
            let store = try options.openStore()
            let item = try store.outbox.undecided(store.outbox.find(prefix: test).id)
            let other = try store.outbox.otherVersion(of: item)
            let stored = try store.revisions.reopen(item.id)
            if format.json { return try Acknowledgement.tell(stored, options, json: true, of: store) }
            let id = stored.record.id
            if id == item.id {
                options.say("A draft again: quire take \(id)")
            } else {
                options.say("A new revision starts from its answers: quire take \(id)")
            }
            if let other { OutboxCommand.tell(other, options) }
        }
    }
}
