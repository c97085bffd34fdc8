import ArgumentParser
import Host
import SystemPackage

/// `quire host`: the reference server, and what a teacher does with the tests that it holds.
struct HostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host",
        abstract: "Publish questionnaires, take tests and rate them: the reference server.",
        usage: """
            quire host --data DIR [--questionnaires DIR] [--listen ADDR:PORT] [--token-file FILE] [--author-token-file FILE] [--desk]
            quire host --data s3://BUCKET[/PREFIX] [--questionnaires DIR] [--listen ADDR:PORT] ...
            quire host --data DIR [--questionnaires DIR] --collect DIR|s3://BUCKET[/PREFIX]
            quire host keys add --data DIR --role ROLE [--person ID] [--label TEXT] [--expires TIME] [--json]
            quire host keys list|revoke ID --data DIR
            quire host people import FILE.csv --data DIR [--dry-run] [--yes] [--keep] [--json]
            quire host people --questionnaire ID --data DIR [--group G] [--json]
            quire host people list|remove ID|cards --data DIR [--group G] [--new-codes] [-o FILE.html]
            quire host questionnaires --data DIR [--json]
            quire host tests --data DIR [--status STATUS] [--json]
            quire host snapshot save|restore|show FILE --data DIR
            quire host copy FROM TO [--questionnaires DIR] [--json]
            quire host results ID --data DIR [--csv|--json] [--attempt last|best|first|all] [--code-book FILE]
            quire host stats ID --data DIR [--json] [--attempt last|best|first|all]
            quire host rate --data DIR TEST [QUESTION] --points N [--max N] [--by NAME] [--comment TEXT]
            quire host rate --data DIR TEST [--score N --max N] [--by NAME] [--comment TEXT]
            quire host rate --data DIR TEST --return --comment TEXT [--by NAME]
            quire host rate --data DIR --again ID [--dry-run] [--yes] [--json]
            """,
        discussion: """
            The host keeps everything as plain files below DATA:

              questionnaires/*.json          what it publishes
              tests/<uuid>.test.json         the tests, byte for byte as they arrived
              receipts/<uuid>.receipt.json   what it says about them
              receipts/<uuid>/<n>.json       what it said before, for each mark

            With a bucket in the place of the folder, any number of hosts may run beside each other, on any machines, and \
            none keeps anything of its own. Each publishes its folder of --questionnaires there; the desk needs a host on a \
            folder. Credentials are read as the tools of AWS read them.

            A test whose questionnaire has an answerKey is rated at once, by the key of the version that it was taken \
            with. Answers that the key has nothing about are for a person: the test is `checking` until each has points \
            (`quire host tests --status checking`, `quire host rate TEST QUESTION --points N`). The key never leaves \
            the host; what is right can be found out by sending many tests, unless --verdicts never keeps it back. The \
            score is given out all the same.

            As soon as there is a key (`quire host keys add`), every request needs one, and the key's role decides: \
            takers fetch questionnaires and send tests, authors also change questionnaires, teachers also list all \
            tests. A client that knows the UUID of a test may ask for its receipt and files, unless its key belongs to \
            another person. The token of --token-file is a taker's key, that of --author-token-file a teacher's. \
            Without any key or token all is open to this machine; beyond it (--listen) the host does not start, unless \
            --open opens it to everyone.
            """,
        subcommands: [
            HostServe.self, HostKeys.self, HostPeople.self, HostQuestionnaires.self, HostRate.self, HostResults.self,
            HostStats.self, HostTests.self, HostSnapshot.self, HostCopyCommand.self,
        ],
        defaultSubcommand: HostServe.self)
}

/// Where the host's files are: the same for all that is done with them.
struct HostFolders: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of tests and receipts, or a bucket such as s3://bucket/prefix that any number of hosts share.",
            valueName: "place"), completion: .directory)
    var data: String

    @Option(
        help: ArgumentHelp(
            "The folder of questionnaires (default: DATA/questionnaires); with a bucket, it is published there.",
            valueName: "dir"),
        completion: .directory)
    var questionnaires: String?

    var configuration: HostConfiguration {
        get throws {
            var configuration = HostConfiguration(
                data: FilePath(data), questionnaires: questionnaires.map { FilePath($0) })
            configuration.bucket = try HostPlace.store(data)
            return configuration
        }
    }

    func validate() throws {
        if data.isEmpty { throw ValidationError("--data needs a folder") }
        if questionnaires?.isEmpty == true { throw ValidationError("--questionnaires needs a folder") }
    }
}
