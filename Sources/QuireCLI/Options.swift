import ArgumentParser
import FoundationEssentials
import Model
import Quire
import Remotes
import Sync
import SystemPackage

/// Options that every command has.
struct StoreOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The store's folder.", valueName: "dir"), completion: .directory)
    var store: String?

    @Flag(help: "Do not use the network.")
    var offline = false

    @Flag(name: .shortAndLong, help: "Print only errors and data.")
    var quiet = false

    var path: FilePath {
        if let store { return FilePath(store) }
        if let store = Self.value("QUIRE_STORE") { return FilePath(store) }
        // A relative one is to be ignored (XDG Base Directory Specification, "Environment variables").
        if let data = Self.value("XDG_DATA_HOME"), data.hasPrefix("/") {
            return FilePath(data).appending(name: "quire")
        }
        return FilePath(Self.home ?? ".").appending(name: ".local/share/quire")
    }

    /// The person's home folder.
    static var home: String? { value("HOME") }

    private static func value(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    func validate() throws {
        if store == "" { throw ValidationError("--store is empty: name a folder") }
        // The environment is read with bytes that are not UTF-8 replaced, which would be another folder.
        if store == nil, path.string.unicodeScalars.contains("\u{FFFD}") {
            throw ValidationError(
                "the store's folder, by $QUIRE_STORE, $XDG_DATA_HOME or $HOME, has a name that is not UTF-8: name another "
                    + "folder with --store")
        }
    }

    /// Opens the store, with the words for its kind of remote.
    func openStore(quotaBytes: Int64? = nil, memoryTierBytes: Int = 0) throws -> QuireStore {
        try QuireStore.open(
            at: path, quotaBytes: quotaBytes, memoryTierBytes: memoryTierBytes, mediumOf: RemoteAddress.medium)
    }

    /// Says once, in a store from before there were people, what is different. A store that cannot be written says nothing.
    func tellOfPeople(_ store: QuireStore) {
        guard !quiet, (try? store.isNewToPeople()) == true else { return }
        Output.complain(
            Output.language.text(
                "this store is from before there were people on a device: all tests are here, and everybody sees them as before; after “quire person set NAME” the new tests of each are seen by that person alone, and a draft without a person can be claimed"
            ))
    }

    /// A line for people, unless they want quiet.
    func say(_ text: LocalizedText) { say(line: Output.language.text(text)) }

    /// A line that is in the person's language already.
    func say(line: String) { if !quiet { Output.line(line) } }
}

/// The name of a file on the command line.
enum FileArgument {
    static func named(_ text: String) throws -> String {
        if text.isEmpty { throw ValidationError("the name is empty: name a file") }
        return text
    }
}

struct JSONOption: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false
}

struct QuotaOption: ParsableArguments {
    @Option(help: ArgumentHelp("The most that the cache may hold, such as 200MB.", valueName: "size"))
    var quota: ByteSize?
}

/// A size such as `200MB`.
struct ByteSize: ExpressibleByArgument {
    var bytes: Int64

    init?(argument: String) {
        guard let bytes = ByteCount.parse(argument) else { return nil }
        self.bytes = bytes
    }
}

/// A span of time such as `7d`.
struct TimeInput: ExpressibleByArgument {
    var seconds: Double

    init?(argument: String) {
        guard let seconds = TimeSpan.parse(argument) else { return nil }
        self.seconds = seconds
    }
}
