import ArgumentParser
import Disk
import Host
import Model
import SystemPackage
import WireFormat

/// `quire host keys`
struct HostKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Add, list and revoke the keys of a host; the host can be running.",
        discussion: """
            As soon as a host has a key, it asks everyone for one. Each role includes the ones before it:

              taker    reads questionnaires, delivers tests, reads the tests whose UUIDs it knows
              author   also creates, edits and deletes questionnaires
              teacher  also lists and reads all tests
              admin    the same as teacher; it is for those who manage keys

            A device uses a key as its token: quire remote set URL --token-file FILE. The host keeps a digest of each key \
            in DATA/access; the key itself is printed once.
            """,
        subcommands: [Add.self, List.self, Revoke.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Make a key and print it, once.")

        @OptionGroup var folder: KeyFolder

        @Option(help: ArgumentHelp("taker, author, teacher or admin.", valueName: "role"))
        var role: AccessRole

        @Option(
            help: ArgumentHelp(
                "The person that the key belongs to: a taker's or an author's key then reads that person's tests only.",
                valueName: "id"))
        var person: String?

        @Option(help: ArgumentHelp("What the key is for, such as a class or a device.", valueName: "text"))
        var label: String?

        @Option(
            help: ArgumentHelp(
                "When the key stops working: a date such as 2027-06-30, a time with its offset, or a span such as 90d.",
                valueName: "time"))
        var expires: Expiry?

        @Option(
            help: ArgumentHelp(
                "The host's address, such as https://school.example: also print a link that fills in the key on the desk, and at a terminal its QR code.",
                valueName: "url"))
        var address: String?

        @Flag(help: "Print JSON.")
        var json = false

        private struct Made: Encodable {
            var id, key: String
            var role: AccessRole
            var link: String?
        }

        /// The page to log in, with the key where browsers send it to no server.
        private func link(_ key: String) -> String? {
            address.map {
                ($0.hasSuffix("/") ? String($0.dropLast()) : $0) + "/desk/#key=" + PercentEncoding.encode(key)
            }
        }

        func validate() throws {
            for (name, text) in [("--person", person), ("--label", label)] {
                guard let text else { continue }
                let isText = !text.isEmpty && text.count <= 200 && !text.unicodeScalars.contains { $0.value < 0x20 }
                if !isText { throw ValidationError("\(name) needs a line of 1 to 200 characters") }
            }
            if let address {
                guard address.hasPrefix("http://") || address.hasPrefix("https://"),
                    !address.contains(where: \.isWhitespace),
                    !address.contains("#"), !address.contains("?")
                else { throw ValidationError("--address needs an address such as https://school.example") }
                if role == .taker { throw ValidationError("--address is for the desk: a taker's key opens no desk") }
            }
        }

        func run() async throws {
            let data = folder.data
            let (role, person, label) = (role, person, label)
            let expires = expires?.time(after: SystemClock().now)
            if let expires, expires <= SystemClock().now {
                throw Failure(Exit.usage, "--expires is in the past: name a time to come")
            }
            try await HostFailure.reported {
                let (key, text) = try await offload {
                    try KeyFolder.make(data).add(role, person: person, label: label, expires: expires)
                }
                if json { return try Output.json(Made(id: key.id, key: text, role: key.role, link: link(text))) }
                Output.write(text + "\n")
                if let link = link(text) {
                    Output.write(link + "\n")
                    Output.writeQRCode(of: link)
                }
                HostFailure.tell(
                    Output.language.text("key \(key.id), \(key.role.rawValue): write it down, it is not shown again"))
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the keys: their ids, roles and labels, and never the keys themselves.")

        @OptionGroup var folder: KeyFolder

        @Flag(help: "Print a JSON array.")
        var json = false

        private struct Item: Encodable {
            var id: String
            var role: AccessRole
            var state: String
            var created: Timestamp
            var person, label: String?
            var expires, revoked: Timestamp?
        }

        func run() async throws {
            let data = folder.data
            try await HostFailure.reported {
                let (entries, faults) = try await offload { try KeyFolder.open(data).all() }
                for fault in faults { HostFailure.tell(fault) }
                let now = SystemClock().now
                let items = entries.map { entry in
                    let state = entry.revoked != nil ? "revoked" : entry.isValid(at: now) ? "valid" : "expired"
                    return Item(
                        id: entry.key.id, role: entry.key.role, state: state, created: entry.key.created,
                        person: entry.key.person, label: entry.key.label, expires: entry.key.expires,
                        revoked: entry.revoked)
                }
                if json { return try Output.json(items) }
                if items.isEmpty { Output.line(Output.language.text("No keys.")) }
                for item in items { Output.line(line(item)) }
            }
        }

        private func line(_ item: Item) -> String {
            let language = Output.language
            let state =
                switch item.state {
                case "revoked": language.text("revoked")
                case "expired": language.text("expired")
                default: language.text("valid")
                }
            let parts = [
                item.person.map { language.text("person \($0)") }, item.label,
                item.expires.map { language.text("until \($0)") },
            ].compactMap { $0?.split(whereSeparator: \.isNewline).joined(separator: " ") }
            return ([item.id, item.role.rawValue, state] + parts).joined(separator: "  ")
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Revoke a key at once, by its id.")

        @OptionGroup var folder: KeyFolder

        @Argument(help: "The key's id, as `quire host keys list` prints it.")
        var id: String

        func run() async throws {
            let (data, id) = (folder.data, id)
            try await HostFailure.reported { try await offload { try KeyFolder.open(data).revoke(id) } }
        }
    }
}

/// The data folder whose keys are meant.
struct KeyFolder: ParsableArguments {
    @Option(
        help: ArgumentHelp("The host's folder of tests and receipts, or its bucket.", valueName: "place"),
        completion: .directory)
    var data: String

    var configuration: HostConfiguration {
        get throws {
            var configuration = HostConfiguration(data: FilePath(data))
            configuration.bucket = try HostPlace.store(data)
            return configuration
        }
    }

    /// The keys at a place that a host may not have used yet. It blocks.
    static func make(_ data: String) throws -> KeyStore {
        if let store = try HostPlace.store(data) { return KeyStore(sharedIn: store) }
        return try KeyStore(making: FilePath(data))
    }

    /// The keys of a host. It blocks.
    static func open(_ data: String) throws -> KeyStore {
        if let store = try HostPlace.store(data) { return KeyStore(sharedIn: store) }
        return try KeyStore(opening: FilePath(data))
    }

    func validate() throws {
        if data.isEmpty { throw ValidationError("--data needs a folder") }
    }
}

/// The end of a key, as it is written on the command line.
enum Expiry: ExpressibleByArgument {
    case at(Timestamp)
    case after(seconds: Double)

    init?(argument: String) {
        if let time = Timestamp(argument) {
            self = .at(time)
        } else if let seconds = TimeSpan.parse(argument) {
            self = .after(seconds: seconds)
        } else {
            return nil
        }
    }

    func time(after now: Timestamp) -> Timestamp {
        switch self {
        case .at(let time): time
        case .after(let seconds): now.adding(seconds: seconds)
        }
    }
}

extension AccessRole: ExpressibleByArgument {}
