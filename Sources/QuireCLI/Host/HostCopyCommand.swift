import ArgumentParser
import Host
import Logging
import Model
import S3
import SystemPackage
import Wording

/// `quire host copy FROM TO`: carries a host's data to another place.
struct HostCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy a host's data to a new place, between folders and buckets; its host can be running.",
        discussion: """
            Copies tests, receipts with what they said before, files, keys, class lists, favourites, questionnaires \
            with all published versions, and what the desk keeps. Every file is read back and compared by its SHA-256. \
            A copy that was interrupted is completed by the same command; when the host has gone on, so is what came \
            since. So copy while the host runs, stop it, copy once more, and start a host at the new place. From then \
            on nothing is copied there any more.

            From a folder to a bucket and back every file is byte for byte what it was. Files whose names begin with a \
            dot, uploads under way and locks are left out. Devices fetch the list of questionnaires again.
            """)

    @Option(
        help: ArgumentHelp(
            "The folder of questionnaires of FROM (default: FROM/questionnaires); for a copy to a bucket.",
            valueName: "dir"),
        completion: .directory)
    var questionnaires: String?
    @OptionGroup var output: OutputOptions
    @Argument(help: "The folder or bucket of the host, as --data names it.", completion: .directory)
    var from: String
    @Argument(help: "The new place: a folder, or a bucket such as s3://bucket/prefix.", completion: .directory)
    var to: String

    func validate() throws {
        if from.isEmpty || to.isEmpty { throw ValidationError("copy needs two places, FROM and TO") }
        guard questionnaires != nil else { return }
        if S3Bucket.isAddress(from) || !S3Bucket.isAddress(to) {
            throw ValidationError("--questionnaires is for a copy from a folder to a bucket")
        }
    }

    private static func configuration(_ place: String, _ questionnaires: String? = nil) throws -> HostConfiguration {
        var configuration = HostConfiguration(
            data: S3Bucket.isAddress(place) ? FilePath(place) : FilePath(RemoteCommand.absolute(place)),
            questionnaires: questionnaires.map { FilePath($0) })
        configuration.bucket = try HostPlace.store(place)
        return configuration
    }

    func run() async throws {
        let copy = HostCopy(
            from: try Self.configuration(from, questionnaires), to: try Self.configuration(to),
            logger: Logger(label: "quire.host") { StreamLogHandler.standardError(label: $0) })
        try await HostFailure.reported {
            let report = try await copy.run()
            if output.json {
                try Output.json(report)
            } else if !output.quiet {
                let size = ByteCount.format(report.bytes, Output.language)
                Output.line(
                    Output.language.text(
                        "\(report.copied) copied, \(report.known) known, \(report.removed) removed; \(size) compared. Start the host there with: quire host --data \(to)"
                    ))
            }
        }
    }
}
