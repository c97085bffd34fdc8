import Model
import SystemPackage

/// The names in a folder through which devices and a host exchange questionnaires and tests: a stick, a share. They are
/// built and parsed here and nowhere else, for both sides; `docs/folder.md` describes them.
package enum ExchangeLayout {
    /// A folder without it is not used: where a stick is not mounted, its empty mount point must not take its place.
    package static let marker: FilePath = "quire-folder.json"
    package static let list: FilePath = "questionnaires.json"
    package static let questionnaires: FilePath = "questionnaires"
    package static let tests: FilePath = "tests"
    package static let receipts: FilePath = "receipts"
    /// Questionnaires that were created, edited or deleted on devices, and favourites, until a host has taken them in.
    package static let changes: FilePath = "changes"
    /// Files that belong to answers and questionnaires, until a host has them.
    package static let attachments: FilePath = "attachments"
    package static let temporary: FilePath = "tmp"

    package static var folders: [FilePath] { [temporary, tests, changes, attachments, receipts, questionnaires] }

    /// A longer file is no change: a document, and what is said of it.
    package static let longestChangeBytes = Int64(Questionnaire.maximumBytes) + (64 << 10)

    private static let testSuffix = ".test.json"
    private static let receiptSuffix = ".receipt.json"
    private static let refusalSuffix = ".refusal.json"
    private static let mediaSuffix = ".media.json"
    private static let questionnaireSuffix = ".questionnaire.json"
    private static let favoriteSuffix = ".favorite.json"
    private static let documentSuffix = ".json"

    package static func test(_ id: TestID) -> FilePath { tests.appending(id.description + testSuffix) }
    package static func receipt(_ id: TestID) -> FilePath { receipts.appending(id.description + receiptSuffix) }
    /// A questionnaire that was created, edited or deleted.
    package static func questionnaireChange(_ id: TestID) -> FilePath {
        changes.appending(id.description + questionnaireSuffix)
    }
    /// A favourite that was set or unset.
    package static func favoriteChange(_ id: TestID) -> FilePath { changes.appending(id.description + favoriteSuffix) }
    /// The bytes of attachments, by their digest.
    package static func bytes(_ digest: Digest) -> FilePath { attachments.appending(digest.hex) }
    /// What the bytes are, and which test they belong to.
    package static func attachment(_ id: TestID) -> FilePath { attachments.appending(id.description + mediaSuffix) }
    /// Why the host will not take a test, an attachment or a change.
    package static func refusal(_ id: TestID) -> FilePath { receipts.appending(id.description + refusalSuffix) }

    /// The test that a file in `tests` holds; `nil` for another name.
    package static func testID(fileName name: String) -> TestID? { id(name, testSuffix) }
    /// The change of a questionnaire that a file in `changes` is; `nil` for another name.
    package static func questionnaireChangeID(fileName name: String) -> TestID? { id(name, questionnaireSuffix) }
    /// The favourite that a file in `changes` is; `nil` for another name.
    package static func favoriteChangeID(fileName name: String) -> TestID? { id(name, favoriteSuffix) }
    /// The attachment that a file in `attachments` is about; `nil` for another name.
    package static func attachmentID(fileName name: String) -> TestID? { id(name, mediaSuffix) }
    /// The test, attachment or change that a file in `receipts` is the receipt of; `nil` for another name.
    package static func receiptID(fileName name: String) -> TestID? { id(name, receiptSuffix) }

    private static func id(_ name: String, _ suffix: String) -> TestID? {
        guard name.hasSuffix(suffix), let id = TestID(name.dropLast(suffix.count)), name == id.description + suffix
        else { return nil }
        return id
    }

    /// A questionnaire's name: different for different ids also where upper and lower case are one, and without a
    /// character that some file system forbids.
    package static func documentName(id: String) -> String {
        var name = ""
        for (place, byte) in id.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: ".") where place > 0: name += "."
            default: name += "%" + Hexadecimal.encode([byte]).uppercased()
            }
        }
        return name.utf8.count <= 200 ? name : name.prefix(120) + "~" + Digest(sha256Of: Array(id.utf8)).hex
    }

    /// The file of a questionnaire by its name.
    package static func document(name: String) -> FilePath { questionnaires.appending(name + documentSuffix) }

    /// Whether a file directly in `questionnaires` is a questionnaire's.
    package static func isDocument(fileName name: String) -> Bool { name.hasSuffix(documentSuffix) }
}
