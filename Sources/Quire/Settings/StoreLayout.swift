import AuthorDrafts
import CacheStore
import Model
import OutboxStore
import Sync
import SystemPackage

/// Names in the store's own folder, built and parsed here and nowhere else.
enum StoreLayout {
    static let settings: FilePath = "store.json"
    static let quarantine: FilePath = "quarantine"
    static let temporary: FilePath = "outbox/tmp"
    static let marks: FilePath = "marks"
    static let people: FilePath = "people"
    /// Names the current person.
    static let currentPerson: FilePath = "people/current.json"
    /// The class list of the remote.
    static let classList: FilePath = "people/list.json"
    private static let personSuffix = ".person.json"
    /// The codes of people who proved themselves here.
    static let keys: FilePath = "keys"
    private static let keySuffix = ".key.json"
    private static let pinSuffix = ".pin.json"
    /// Held while a PIN is tried or set.
    static let pinLock: FilePath = "keys/pin.lock"
    /// The questionnaires that are being written here.
    static let authorDrafts = DraftLayout(folder: "writing", lock: "writing.lock", temporary: temporary)
    static let log: FilePath = "log"
    static let hooks: FilePath = "hooks"
    /// The key that signs the page's cookies.
    static let pageKey: FilePath = "page.key"

    /// Which places of return the page has named: an empty file each.
    static let pageReturns: FilePath = "page.returns"

    static func pageReturn(_ mark: String) -> FilePath { pageReturns.appending(name: mark) }

    private static let closedSuffix = ".closed"

    /// That a browser's access was closed: it stays.
    static func closedPageAccess(_ mark: String) -> FilePath { pageReturns.appending(name: mark + closedSuffix) }

    static func isClosedPageAccess(_ name: String) -> Bool { name.hasSuffix(closedSuffix) }

    static func hook(_ event: String) -> FilePath { hooks.appending(name: event) }

    /// The single files that are recreated where missing: all but the settings and the token.
    static let derivedFiles: [FilePath] =
        CacheLayout.files + OutboxLayout.files + Journal.files + [pageKey, authorDrafts.lock]

    /// Where a change may change the list of questionnaires, beside their documents: their entries, the marks, the tests.
    static var libraryFolders: [FilePath] { [marks, people, CacheLayout.entries] + OutboxLayout.statusFolders }

    /// Folders of Quire's own files.
    static let folders: [FilePath] = ["outbox", "cache", marks, people, quarantine, log, "index"]

    /// Names that belong in the store's folder.
    static let ownNames: Set<String> = [
        "store.json", "cache", "outbox", "marks", "people", "quarantine", "log", "index", "token", "hooks", "hub",
        "page.key",
        "page.returns", "keys", "writing", "writing.lock",
    ]

    static func markName(id: String, _ kind: Mark.Kind) -> String { encoded(id) + "." + kind.rawValue + ".json" }

    static func markPath(id: String, _ kind: Mark.Kind) -> FilePath { marks.appending(name: markName(id: id, kind)) }

    /// The kind of a mark's file; its content names the document.
    static func markKind(name: String) -> Mark.Kind? {
        Mark.Kind.allCases.first { name.hasSuffix("." + $0.rawValue + ".json") }
    }

    static func personPath(id: String) -> FilePath { people.appending(name: encoded(id) + personSuffix) }

    /// Whether a file of this name has a person; its content says which.
    static func isPersonName(_ name: String) -> Bool { name.hasSuffix(personSuffix) && !name.hasPrefix(".") }

    static func keyPath(person: String) -> FilePath { keys.appending(name: encoded(person) + keySuffix) }

    static func isKeyName(_ name: String) -> Bool { name.hasSuffix(keySuffix) && !name.hasPrefix(".") }

    static func pinPath(person: String) -> FilePath { keys.appending(name: encoded(person) + pinSuffix) }

    static func isPINName(_ name: String) -> Bool { name.hasSuffix(pinSuffix) && !name.hasPrefix(".") }

    /// The suffix of the file with the reason for a quarantined one.
    static let reasonSuffix = ".reason.txt"

    /// An id as a part of a file name: safe, readable, different for different ids.
    private static func encoded(_ id: String) -> String {
        var name = ""
        for byte in id.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default: name += "%" + Hexadecimal.encode([byte]).uppercased()
            }
        }
        return name.utf8.count <= 200 ? name : name.prefix(120) + "~" + Digest(sha256Of: Array(id.utf8)).hex
    }
}
