import Model
import SystemPackage

/// The names in a folder (a stick, a share) through which devices and a host exchange questionnaires and tests. They
/// are built and parsed only here, for both sides; `docs/folder.md` describes them.
package enum ExchangeLayout {
    /// A folder without it is not used: the empty mount point of an unmounted stick must not be mistaken for the stick.
    package static let marker: FilePath = "quire-folder.json"
    package static let list: FilePath = "questionnaires.json"
    package static let questionnaires: FilePath = "questionnaires"
    package static let tests: FilePath = "tests"
    package static let receipts: FilePath = "receipts"
    /// Questionnaires that were created, edited or deleted on devices, and favourites, until a host has imported them.
    package static let changes: FilePath = "changes"
    /// Files of answers and questionnaires, until a host has imported them.
    package static let attachments: FilePath = "attachments"
    package static let temporary: FilePath = "tmp"

    package static var folders: [FilePath] { [temporary, tests, changes, attachments, receipts, questionnaires] }

    /// A longer file is not a change: a document and its metadata.
    package static let longestChangeBytes = Int64(Questionnaire.maximumBytes) + (64 << 10)

    private static let testSuffix = ".test.json"
    private static let receiptSuffix = ".receipt.json"
    private static let refusalSuffix = ".refusal.json"
    private static let mediaSuffix = ".media.json"
    private static let questionnaireSuffix = ".questionnaire.json"
    private static let favoriteSuffix = ".favorite.json"
    private static let documentSuffix = ".json"

    package static func test(_ id: TestID) -> FilePath { tests.appending(name: id.description + testSuffix) }
    package static func receipt(_ id: TestID) -> FilePath { receipts.appending(name: id.description + receiptSuffix) }
    /// A questionnaire that was created, edited or deleted.
    package static func questionnaireChange(_ id: TestID) -> FilePath {
        changes.appending(name: id.description + questionnaireSuffix)
    }
    /// A favourite that was set or unset.
    package static func favoriteChange(_ id: TestID) -> FilePath {
        changes.appending(name: id.description + favoriteSuffix)
    }
    /// The bytes of attachments, by their digest.
    package static func bytes(_ digest: Digest) -> FilePath { attachments.appending(name: digest.hex) }
    /// The metadata of the bytes, and the test that they belong to.
    package static func attachment(_ id: TestID) -> FilePath {
        attachments.appending(name: id.description + mediaSuffix)
    }
    /// Why the host rejects a test, an attachment or a change.
    package static func refusal(_ id: TestID) -> FilePath { receipts.appending(name: id.description + refusalSuffix) }

    /// The id of a test's file in `tests`; `nil` for another name.
    package static func testID(fileName name: String) -> TestID? { id(name, testSuffix) }
    /// The id of a questionnaire's change in `changes`; `nil` for another name.
    package static func questionnaireChangeID(fileName name: String) -> TestID? { id(name, questionnaireSuffix) }
    /// The id of a favourite in `changes`; `nil` for another name.
    package static func favoriteChangeID(fileName name: String) -> TestID? { id(name, favoriteSuffix) }
    /// The id of an attachment's file in `attachments`; `nil` for another name.
    package static func attachmentID(fileName name: String) -> TestID? { id(name, mediaSuffix) }
    /// The id of the test, attachment or change of a file in `receipts`; `nil` for another name.
    package static func receiptID(fileName name: String) -> TestID? { id(name, receiptSuffix) }

    private static func id(_ name: String, _ suffix: String) -> TestID? {
        guard name.hasSuffix(suffix), let id = TestID(name.dropLast(suffix.count)), name == id.description + suffix
        else { return nil }
        return id
    }

    /// A questionnaire's file name: distinct for distinct ids even on a case-insensitive file system, and without a
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
    package static func document(name: String) -> FilePath { questionnaires.appending(name: name + documentSuffix) }

    /// Whether a file directly in `questionnaires` is a questionnaire's.
    package static func isDocument(fileName name: String) -> Bool { name.hasSuffix(documentSuffix) }
}
