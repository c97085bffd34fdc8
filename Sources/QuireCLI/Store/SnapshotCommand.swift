import ArgumentParser
import Model
import Quire
import Snapshots
import SystemPackage
import Wording

struct SnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot", abstract: "Save the store in one file, restore it, or show such a file.",
        subcommands: [Save.self, Restore.self, Show.self])

    struct Save: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "save", abstract: "Save the store in one file.",
            discussion: """
                The store can be in use meanwhile. The file is complete or not there at all. It holds every test with its \
                receipt and files, the marks, and every questionnaire that a test, a pin or a favourite needs, so that \
                drafts resume on a restored device without a network.
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var format: JSONOption
        @Option(name: .customLong("format"), help: "The form of the records: json (JSON Lines) or protobuf.")
        var form: SnapshotFormat = .json
        @Flag(help: "Leave out questionnaires that no test, pin or favourite needs; a pull fetches them again.")
        var withoutCache = false
        @Flag(help: "Include the bearer token and the key of the page's cookies.")
        var withSecrets = false
        @Option(
            help: ArgumentHelp("Save only what changed since that complete snapshot.", valueName: "file"),
            transform: FileArgument.named)
        var since: String?
        @Argument(help: "The file to write.", completion: .file(), transform: FileArgument.named)
        var file: String

        func run() throws {
            let store = try options.openStore()
            let report = try StoreSnapshot.save(
                store, to: FilePath(file),
                .init(
                    format: form, withCache: !withoutCache, withSecrets: withSecrets, since: since.map { FilePath($0) })
            )
            for path in report.leftOut { Output.complain("left out: \(path): see “quire doctor”") }
            if format.json {
                try Output.json(Saved(report))
                return try SnapshotCommand.refuseIncomplete(report, file)
            }
            let size = ByteCount.format(report.contentBytes, Output.language)
            options.say(
                line: Output.language.plural(
                    report.files, one: "1 file (\(size)) in \(file). Restore with: quire snapshot restore \(file)",
                    other: "\(report.files) files (\(size)) in \(file). Restore with: quire snapshot restore \(file)"))
            try SnapshotCommand.refuseIncomplete(report, file)
        }
    }

    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore", abstract: "Restore a snapshot into a new store, or merge it into an existing one.",
            discussion: """
                In an existing store nothing is overwritten: tests are merged as by “quire outbox import”, marks and \
                questionnaires are added where they are missing, settings stay. Damaged files of the snapshot are named, \
                the rest is restored, and the exit code is 65.
                """)

        @OptionGroup var options: StoreOptions
        @OptionGroup var format: JSONOption
        @Argument(help: "The snapshot.", completion: .file(), transform: FileArgument.named)
        var file: String

        private struct Result: Encodable {
            var isNew: Bool
            var taken, advanced, conflicts, newerHere, unproven, contradicting, withoutAnswers: [TestID]
            var known, marks, cached: Int
            var discarded, keptTests, withoutRoom, withoutContent, kept, absent, unusedSecrets, lost, refused,
                unknown: [String]
            var testsWithoutVersion: [TestID]
        }

        func run() throws {
            let report = try StoreSnapshot.restore(FilePath(file), to: options.path)
            let (tests, summary) = (report.tests, report.summary)
            if format.json {
                try Output.json(
                    Result(
                        isNew: report.isNew, taken: tests.taken, advanced: tests.advanced, conflicts: tests.conflicts,
                        newerHere: tests.newer, unproven: tests.unproven, contradicting: tests.contradicting,
                        withoutAnswers: tests.withoutAnswers, known: tests.known, marks: report.marks,
                        cached: report.cached, discarded: report.discarded, keptTests: report.keptTests,
                        withoutRoom: report.withoutRoom, withoutContent: report.withoutContent, kept: report.kept,
                        absent: report.absent, unusedSecrets: report.unusedSecrets, lost: summary.lost,
                        refused: report.refused, unknown: report.unknown,
                        testsWithoutVersion: report.testsWithoutVersion))
            } else {
                let store = options.path.string
                options.say(
                    line: (report.isNew
                        ? Output.language.text("Made the store \(store): ")
                        : Output.language.text("Merged into \(store): "))
                        + Output.language.text(
                            "\(tests.taken.count) new tests and changes, \(tests.advanced.count) further than here, \(tests.known) known, \(report.cached) cached, \(report.marks) marks."
                        ))
            }
            if !format.json {
                for id in tests.newer { options.say(line: Output.language.text("\(id): kept: newer here")) }
            }
            for path in report.discarded {
                Output.complain("\(path): discarded since on the device of the snapshot, and moved to quarantine/ here")
            }
            for path in report.keptTests {
                Output.complain(
                    "\(path): discarded since on the device of the snapshot, and kept, because it went on here")
            }
            for id in tests.unproven {
                Output.complain(
                    "\(id): its receipt is missing, so the server may have it: it is sent again as it is, and arrives once"
                )
            }
            for id in tests.contradicting {
                Output.complain(
                    "\(id): the server has other answers than these, which are kept as a conflict: see “quire tests”")
            }
            for id in tests.withoutAnswers {
                Output.complain("\(id): delivered, and its answers are lost here: its receipt is in quarantine/")
            }
            if !tests.conflicts.isEmpty {
                Output.complain("\(tests.conflicts.count) with other answers here: both are kept, see “quire tests”")
            }
            if !report.withoutRoom.isEmpty {
                Output.complain(
                    "\(report.withoutRoom.count) questionnaires and files do not fit into the quota: “quire pull” "
                        + "fetches them again where there is room")
            }
            for url in report.withoutContent {
                Output.complain(
                    "\(url): its content is neither in the snapshot nor here: “quire pull” fetches it again")
            }
            for path in report.kept { Output.complain("\(path): changed here, too, and stays as it is here") }
            for path in report.unusedSecrets {
                Output.complain("\(path): not used, because this store has its own settings")
            }
            for id in report.testsWithoutVersion {
                Output.complain("\(id): the quota has no room for its questions and pictures")
            }
            for reason in report.refused { Output.complain("not restored: \(reason)") }
            for path in report.unknown { Output.complain("\(path): unknown to this version, and left out") }
            try SnapshotCommand.complain(of: summary, file)
            try SnapshotCommand.complain(ofAbsent: report.absent, file)
            if !report.testsWithoutVersion.isEmpty {
                throw Failure(
                    Exit.badData,
                    "\(file): \(report.testsWithoutVersion.count) tests cannot show what was asked: raise the quota and "
                        + "restore again")
            }
            let contradicting = report.refused.count + tests.contradicting.count
            if contradicting > 0 {
                throw Failure(
                    Exit.badData,
                    "\(file): \(contradicting) files of it contradict themselves: the rest is restored")
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "List the files of a snapshot and check all of its digests.",
            discussion:
                "Each line has a file's SHA-256, its length in bytes and its path. Where it is damaged or cut, the lost files are named and the exit code is 65."
        )

        @OptionGroup var options: StoreOptions
        @OptionGroup var format: JSONOption
        @Argument(help: "The snapshot.", completion: .file(), transform: FileArgument.named)
        var file: String

        func run() throws { try SnapshotCommand.show(file, asJSON: format.json, isQuiet: options.quiet) }
    }

    /// The result of a save.
    struct Saved: Encodable {
        var files: Int
        var contentBytes: Int64
        var digest: Digest
        var leftOut: [String]

        init(_ report: StoreSnapshot.SaveReport) {
            files = report.files
            contentBytes = report.contentBytes
            digest = report.digest
            leftOut = report.leftOut
        }
    }

    /// Ends with the exit code of bad data where files are left out.
    static func refuseIncomplete(_ report: StoreSnapshot.SaveReport, _ file: String) throws {
        if report.leftOut.isEmpty { return }
        let count = report.leftOut.count
        throw Failure(
            Exit.badData, "\(file): \(count == 1 ? "1 file" : "\(count) files") left out: everything else is saved")
    }

    /// Names files of the complete snapshot that are missing here, and ends with the exit code of bad data.
    static func complain(ofAbsent paths: [String], _ file: String) throws {
        if paths.isEmpty { return }
        for path in paths {
            Output.complain("\(path): unchanged since the snapshot that this one continues, and not here")
        }
        throw Failure(
            Exit.badData,
            "\(file): \(paths.count == 1 ? "1 file" : "\(paths.count) files") of the snapshot that it continues cannot be found "
                + "here: restore that one first, then this one again")
    }

    private struct Shown: Encodable {
        @Nullable var header: SnapshotHeader?
        var paths: [String]
        var files: [StoreSnapshot.SavedFile]
        var contentBytes: Int64
        var unchanged: Int
        var lost: [String]
        var damagedBytes: Int64
        @Nullable var digest: Digest?
        var isIntact: Bool
    }

    /// Lists the files of a snapshot of a store or of a host, and names what is damaged.
    static func show(_ file: String, asJSON: Bool, isQuiet: Bool = false) throws {
        let (summary, files) = try StoreSnapshot.verify(FilePath(file))
        if asJSON {
            try Output.json(
                Shown(
                    header: summary.header, paths: files.map(\.path), files: files, contentBytes: summary.contentBytes,
                    unchanged: summary.unchanged, lost: summary.lost, damagedBytes: summary.damagedBytes,
                    digest: summary.digest, isIntact: summary.isIntact))
        } else {
            for file in files { Output.line("\(file.digest.hex)  \(file.sizeBytes)  \(file.path)") }
            let size = ByteCount.format(summary.contentBytes, Output.language)
            if summary.isIntact, !isQuiet {
                Output.line(
                    Output.language.plural(
                        summary.files, one: "Intact: 1 file, \(size).",
                        other: "Intact: \(summary.files) files, \(size)."))
                if let digest = summary.digest { Output.line(digest.description) }
            }
        }
        try complain(of: summary, file)
    }

    /// Names what is damaged, and ends with the exit code of bad data.
    static func complain(of summary: SnapshotSummary, _ file: String) throws {
        if summary.isIntact { return }
        for path in summary.lost { Output.complain("\(path): damaged in the snapshot, and lost") }
        let what =
            if summary.isCut {
                "its end is missing"
            } else if summary.damagedBytes > 0 {
                "\(summary.damagedBytes) bytes of it are damaged"
            } else if summary.header == nil {
                "its first record is missing"
            } else if !summary.lost.isEmpty {
                "\(summary.lost.count) files of it are damaged"
            } else {
                "its final digest is not that of its records"
            }
        throw Failure(
            Exit.badData, "\(file): \(what): the rest is intact; restore what is lost from another snapshot")
    }
}

extension SnapshotFormat: ExpressibleByArgument {}
