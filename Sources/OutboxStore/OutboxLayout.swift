import Model
import SystemPackage

/// Every path and name of the outbox, built and parsed here and nowhere else.
public enum OutboxLayout {
    public static let root: FilePath = "outbox"
    public static let temporary: FilePath = "outbox/tmp"
    /// Held by the one sweeper.
    public static let sweeperLock: FilePath = "outbox/lock"
    /// Held for the moment in which a person's program changes a test.
    public static let editLock: FilePath = "outbox/edit.lock"
    /// The last sequence number given out.
    public static let sequence: FilePath = "outbox/sequence.json"

    public static var folders: [FilePath] { [root, temporary] + TestStatus.allCases.map(folder) }

    private static let statusFolders = Dictionary(
        uniqueKeysWithValues: TestStatus.allCases.map { ($0, root.appending($0.rawValue)) })

    public static func folder(_ status: TestStatus) -> FilePath {
        statusFolders[status] ?? root.appending(status.rawValue)
    }

    private static let testSuffix = ".test.json"
    private static let receiptSuffix = ".receipt.json"

    public static func testName(_ id: TestID) -> String { id.description + testSuffix }
    static func receiptName(_ id: TestID) -> String { id.description + receiptSuffix }

    public static func testPath(_ id: TestID, _ status: TestStatus) -> FilePath {
        FilePath("outbox/\(status.rawValue)/\(testName(id))")
    }

    public static func receiptPath(_ id: TestID, _ status: TestStatus) -> FilePath {
        FilePath("outbox/\(status.rawValue)/\(receiptName(id))")
    }

    /// Space that is given free when the disk is full.
    public static let reserve: FilePath = "outbox/reserve"

    /// What a file in a status folder is.
    enum FileName: Hashable {
        case test(TestID)
        case receipt(TestID)

        /// `nil` for a name that is not exactly as we write it.
        init?(_ name: String) {
            let isTest = name.hasSuffix(OutboxLayout.testSuffix)
            let suffix = isTest ? OutboxLayout.testSuffix : OutboxLayout.receiptSuffix
            guard name.hasSuffix(suffix), let id = TestID(name.dropLast(suffix.count)),
                // Exactly as we write it: not in capitals.
                isTest ? name == OutboxLayout.testName(id) : name == OutboxLayout.receiptName(id)
            else { return nil }
            self = isTest ? .test(id) : .receipt(id)
        }
    }

    /// Names in the outbox's own folder that belong there.
    static let ownNames: Set<String> = Set(
        ["tmp", "lock", "edit.lock", "sequence.json", "reserve"] + TestStatus.allCases.map(\.rawValue))
}
