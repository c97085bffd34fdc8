import ArgumentParser
import Host
import Logging
import Model
import ObjectStores
import Snapshots
import SystemPackage
import Wording

/// How much a command prints, and in what form.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON.") var json = false
    @Flag(help: "Print only errors, and results of --json.") var quiet = false
}

/// `quire host snapshot`: a host's data in one file.
struct HostSnapshot: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot", abstract: "Save a host's data in one file, restore it, or check such a file.",
        subcommands: [Save.self, Restore.self, Show.self])

    struct Save: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "save", abstract: "Save a host's data in one file; the host can be running.",
            discussion: """
                Tests, receipts, files, questionnaires of DATA and their published versions, with answer keys: keep the \
                file as safe as DATA. Questionnaires of another folder (--questionnaires) are not in it. A bucket's data \
                is copied into a folder beside FILE first, and removed from there: it needs its room twice.
                """)

        @Option(
            help: ArgumentHelp("The folder of tests and receipts, or the bucket of hosts.", valueName: "place"),
            completion: .directory)
        var data: String
        @Option(name: .customLong("format"), help: "The form of the records: json (JSON Lines) or protobuf.")
        var form: SnapshotFormat = .json
        @Option(
            help: ArgumentHelp("Save only what changed since that complete snapshot.", valueName: "file"),
            transform: FileArgument.named)
        var since: String?
        @OptionGroup var output: OutputOptions
        @Argument(help: "The file to write.", completion: .file(), transform: FileArgument.named)
        var file: String

        func run() async throws {
            guard let store = try HostPlace.store(data) else { return try save(FilePath(data), .host) }
            var source = HostConfiguration(data: FilePath(data))
            source.bucket = store
            let logger = Logger(label: "quire.host") { StreamLogHandler.standardError(label: $0) }
            let parent = FilePath(RemoteCommand.absolute(file)).folder
            try await HostFailure.reported { [source] in
                try await HostCopy.withFolder(of: source, in: parent, logger: logger) { try save($0, .copyOfHost) }
            }
        }

        private func save(_ folder: FilePath, _ excluded: FolderSnapshot.Exclusions) throws {
            let report = try FolderSnapshot.save(
                folder, excluding: excluded, to: FilePath(file), form, since: since.map { FilePath($0) })
            for path in report.leftOut { Output.complain("left out: \(path)") }
            if output.json {
                try Output.json(SnapshotCommand.Saved(report))
            } else if !output.quiet {
                let size = ByteCount.format(report.contentBytes, Output.language)
                Output.line(
                    Output.language.plural(
                        report.files,
                        one:
                            "1 file (\(size)) in \(file). Restore with: quire host snapshot restore \(file) --data DIR",
                        other:
                            "\(report.files) files (\(size)) in \(file). Restore with: quire host snapshot restore \(file) --data DIR"
                    ))
            }
            try SnapshotCommand.refuseIncomplete(report, file)
        }
    }

    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore",
            abstract: "Restore a host's data into a new folder or bucket, or add what is missing in a folder.",
            discussion: """
                Nothing is overwritten; the host must not run. Damaged files of the snapshot are named, the rest is \
                restored, and the exit code is 65. A bucket's prefix must be new: the files go through a folder beside \
                FILE, which is removed at the end and needs its room, and are read back and compared. What was interrupted \
                is completed by the same command.
                """)

        @Option(
            help: ArgumentHelp(
                "The folder of tests and receipts, or a bucket such as s3://bucket/prefix.", valueName: "place"),
            completion: .directory)
        var data: String
        @OptionGroup var output: OutputOptions
        @Argument(help: "The snapshot.", completion: .file(), transform: FileArgument.named)
        var file: String

        private struct Result: Encodable {
            var restored, replaced, removed, different, absent, unknown, lost: [String]
            var known: Int
        }

        /// What was done with a bucket.
        private struct Copied: Encodable {
            var copied, known, removed: Int
            var bytes: Int64
            var unknown, lost: [String]
        }

        func run() async throws {
            if let store = try HostPlace.store(data) { return try await restore(into: store) }
            let report = try FolderSnapshot.restore(FilePath(file), excluding: .host, to: FilePath(data))
            if output.json {
                try Output.json(
                    Result(
                        restored: report.restored, replaced: report.replaced, removed: report.removed,
                        different: report.different, absent: report.absent, unknown: report.unknown,
                        lost: report.summary.lost, known: report.known))
            } else if !output.quiet {
                Output.line(
                    Output.language.plural(
                        report.restored.count, one: "1 file restored into \(data), \(report.known) known.",
                        other: "\(report.restored.count) files restored into \(data), \(report.known) known."))
                if report.summary.header?.since != nil {
                    let (replaced, removed) = (report.replaced.count, report.removed.count)
                    Output.line(Output.language.text("\(replaced) replaced, \(removed) removed."))
                }
            }
            for path in report.different { Output.complain("\(path): another version is here, and stays") }
            for path in report.unknown { Output.complain("\(path): unknown to this version, and left out") }
            try SnapshotCommand.complain(of: report.summary, file)
            try SnapshotCommand.complain(ofAbsent: report.absent, file)
            if !report.different.isEmpty {
                throw Failure(
                    Exit.badData,
                    "\(file): \(report.different.count) files are here in another version, which stays: restore into a "
                        + "new folder to get those of the snapshot")
            }
        }

        private func restore(into store: some ObjectStore) async throws {
            let snapshot = FilePath(file)
            guard try !FolderSnapshot.continuesAnother(snapshot) else {
                throw Failure(
                    Exit.badData,
                    "\(file) continues another snapshot: restore both into a folder DIR, then `quire host copy DIR \(data)`"
                )
            }
            var target = HostConfiguration(data: FilePath(data))
            target.bucket = store
            let logger = Logger(label: "quire.host") { StreamLogHandler.standardError(label: $0) }
            let parent = FilePath(RemoteCommand.absolute(file)).folder
            let origin = "snapshot \(try FolderSnapshot.digest(snapshot))"
            var restored: FolderSnapshot.RestoreReport?
            try await HostFailure.reported { [target] in
                let report = try await HostCopy.copy(origin, in: parent, to: target, logger: logger) {
                    restored = try FolderSnapshot.restore(snapshot, excluding: .copyOfHost, to: $0)
                }
                if output.json {
                    try Output.json(
                        Copied(
                            copied: report.copied, known: report.known, removed: report.removed, bytes: report.bytes,
                            unknown: restored?.unknown ?? [], lost: restored?.summary.lost ?? []))
                } else if !output.quiet {
                    Output.line(
                        Output.language.plural(
                            report.copied, one: "1 file restored into \(data), \(report.known) known.",
                            other: "\(report.copied) files restored into \(data), \(report.known) known."))
                }
            }
            for path in restored?.unknown ?? [] { Output.complain("\(path): unknown to this version, and left out") }
            if let summary = restored?.summary { try SnapshotCommand.complain(of: summary, file) }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "List the files of a snapshot and check all of its digests.",
            discussion: "Where it is damaged or cut, the lost files are named and the exit code is 65.")

        @OptionGroup var output: OutputOptions
        @Argument(help: "The snapshot.", completion: .file(), transform: FileArgument.named)
        var file: String

        func run() throws { try SnapshotCommand.show(file, asJSON: output.json, isQuiet: output.quiet) }
    }
}

extension FolderSnapshot.Exclusions {
    fileprivate static let host = host(HostConfiguration.transientNames)
    /// Also without the notes that a copy makes of itself.
    fileprivate static let copyOfHost = host(HostConfiguration.transientNames.union(HostCopy.notes))

    private static func host(_ names: Set<String>) -> FolderSnapshot.Exclusions {
        FolderSnapshot.Exclusions(
            names: names, lock: HostConfiguration.lockFile, temporary: HostConfiguration.temporaryFolder,
            referring: HostConfiguration.referringFolders)
    }
}
