import Model
import SystemPackage

/// Names of a hub's files in its store beside the cache and the outbox, built and parsed only here.
enum HubLayout {
    static let root: FilePath = "hub"
    static let temporary: FilePath = "hub/tmp"
    /// Held by the one hub of a store.
    static let lock: FilePath = "hub/lock"
    /// The roles of devices' keys, by their digests.
    static let keys: FilePath = "hub/keys.json"
    /// The class list of the upstream, as the hub's own key sees it.
    static let people: FilePath = "hub/people.json"
    static let arrivals: FilePath = "hub/arrivals"
    /// Attachments that devices are handing over.
    static let uploads: FilePath = "hub/uploads"

    /// What devices report of their open tests.
    static let progress: FilePath = "hub/progress"
    private static let progressSuffix = ".progress.json"

    /// A sender's id may have any characters: its file is named by the first half of its digest.
    static func progressName(ofSender id: String) -> String {
        String(Digest(sha256Of: id.utf8).hex.prefix(32)) + progressSuffix
    }
    static func isProgressName(_ name: String) -> Bool { name.hasSuffix(progressSuffix) && !name.hasPrefix(".") }

    /// Drafts that phones handed over, encrypted.
    static let drafts: FilePath = "hub/drafts"

    /// A person's id may have any characters: the folder has its digest's first half.
    static func folderName(ofPerson id: String) -> String { String(Digest(sha256Of: id.utf8).hex.prefix(32)) }
    static func draftFolder(ofPerson id: String) -> FilePath { drafts.appending(name: folderName(ofPerson: id)) }
    static func draftPath(_ draft: DraftID, of person: String) -> FilePath {
        draftFolder(ofPerson: person).appending(name: draft.name)
    }

    private static let arrivalSuffix = ".arrival.json"

    static func arrivalPath(_ id: TestID) -> FilePath { arrivals.appending(name: id.description + arrivalSuffix) }

    /// `nil` for a name that is not exactly as we write it.
    static func arrivalID(name: String) -> TestID? {
        guard name.hasSuffix(arrivalSuffix), let id = TestID(name.dropLast(arrivalSuffix.count)),
            name == id.description + arrivalSuffix
        else { return nil }
        return id
    }
}
