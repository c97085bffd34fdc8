import ArgumentParser
import Disk
import Host
import Logging
import Model
import SystemPackage
import Terminal

/// `quire host questionnaires --data DIR`
struct HostQuestionnaires: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "questionnaires",
        abstract: "List the questionnaires that the host publishes, and what is wrong with their files.",
        discussion: """
            A file with a mistake in it stays published in its last good version until it is corrected or deleted.
            """)

    @OptionGroup var folders: HostFolders

    @Flag(help: "Print JSON.")
    var json = false

    private struct Listing: Encodable {
        struct Item: Encodable {
            var id, title, file: String
            var questionCount: Int
            var digest: Digest
            /// Whether the published version is older than the file.
            var isFormerVersion: Bool
        }
        struct Fault: Encodable {
            var file, reason: String
            /// `leftOut`, `formerVersion` or `shadowed`.
            var consequence: String
        }
        var questionnaires: [Item]
        var faults: [Fault]
    }

    func run() async throws {
        let configuration = try folders.configuration
        try await HostFailure.reported {
            let snapshot = try await offload {
                try ReferenceHost.openCatalog(
                    configuration, logger: Logger(label: "quire.host") { _ in SwiftLogNoOpLogHandler() })
            }
            try json ? Output.json(listing(snapshot)) : print(snapshot)
        }
    }

    private func listing(_ snapshot: CatalogSnapshot) -> Listing {
        Listing(
            questionnaires: snapshot.entries.map {
                .init(
                    id: $0.id, title: $0.title, file: $0.fileName, questionCount: $0.questionCount, digest: $0.digest,
                    isFormerVersion: $0.isFormerVersion)
            },
            faults: snapshot.faults.map { fault in
                let consequence =
                    switch fault.consequence {
                    case .leftOut: "leftOut"
                    case .formerVersion: "formerVersion"
                    case .shadowed: "shadowed"
                    }
                return .init(file: fault.fileName, reason: fault.reason, consequence: consequence)
            })
    }

    private func print(_ snapshot: CatalogSnapshot) throws {
        for entry in snapshot.entries {
            Output.line("\(plain(entry.id))  \(plain(entry.title))  (\(plain(entry.fileName)))")
        }
        for fault in snapshot.faults { HostFailure.tell(plain(fault.description)) }
    }

    /// A text from another person's file: it must not control the terminal or start a line of its own.
    private func plain(_ text: String) -> String {
        terminalSafe(text).split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
