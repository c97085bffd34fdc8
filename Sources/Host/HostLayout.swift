import Model
import SystemPackage

/// The names of the host's files. They are built and parsed here and nowhere else.
///
///     DATA/lock                           held by the running host
///     DATA/rating.lock                    held while a teacher's rating is written
///     DATA/tests/<uuid>.test.json         a test, byte for byte as it arrived
///     DATA/receipts/<uuid>.receipt.json   what the host says about it
///     DATA/questionnaires/*.json          what it publishes, unless another folder was named
///     DATA/tmp/                           files that are being written
enum HostLayout {
    static let lock: FilePath = "lock"
    static let ratingLock: FilePath = "rating.lock"
    static let temporary: FilePath = "tmp"
    static let tests: FilePath = "tests"
    static let receipts: FilePath = "receipts"
    static let questionnaires: FilePath = "questionnaires"

    private static let testSuffix = ".test.json"
    private static let receiptSuffix = ".receipt.json"
    private static let questionnaireSuffix = ".json"

    static func test(_ id: TestID) -> FilePath { tests.appending(id.description + testSuffix) }

    static func receipt(_ id: TestID) -> FilePath { receipts.appending(id.description + receiptSuffix) }

    /// The test that a file of the tests' folder holds; `nil` for a name that the host does not give.
    static func testID(ofFile name: String) -> TestID? {
        guard name.hasSuffix(testSuffix) else { return nil }
        let stem = name.dropLast(testSuffix.count)
        // Only the name in lowercase: a second spelling would be a second file of one test.
        guard let id = TestID(stem), id.description == stem else { return nil }
        return id
    }

    /// Whether a file directly in the folder of questionnaires is one. A hidden file is not: editors and copying
    /// programs keep their half-written files under such names.
    static func isQuestionnaire(fileName name: String) -> Bool {
        name.hasSuffix(questionnaireSuffix) && !name.hasPrefix(".")
    }

    /// A name that could be a questionnaire's on a file system that does not tell upper from lower case.
    static func mayBeQuestionnaire(fileName name: String) -> Bool { name.lowercased().hasSuffix(questionnaireSuffix) }
}
