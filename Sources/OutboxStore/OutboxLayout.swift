import Model
import SystemPackage

/// Every path and name of the outbox, built and parsed here and nowhere else.
public enum OutboxLayout {
    public static let root: FilePath = "outbox"
    static let temporary: FilePath = "outbox/tmp"
    /// Held by the one sweeper.
    static let sweeperLock: FilePath = "outbox/lock"
    /// Held for the moment in which a person's program changes a test.
    static let editLock: FilePath = "outbox/edit.lock"
    /// The last sequence number given out.
    static let sequence: FilePath = "outbox/sequence.json"

    static var folders: [FilePath] { [root, temporary] + TestStatus.allCases.map(folder) }

    static func folder(_ status: TestStatus) -> FilePath { root.appending(status.rawValue) }

    public static func testName(_ id: TestID) -> String { id.description + ".test.json" }
    static func receiptName(_ id: TestID) -> String { id.description + ".receipt.json" }

    public static func testPath(_ id: TestID, _ status: TestStatus) -> FilePath {
        folder(status).appending(testName(id))
    }

    public static func receiptPath(_ id: TestID, _ status: TestStatus) -> FilePath {
        folder(status).appending(receiptName(id))
    }

    /// What a file in a status folder is.
    enum FileName: Hashable {
        case test(TestID)
        case receipt(TestID)

        /// `nil` for a name that is not exactly as we write it.
        init?(_ name: String) {
            if let id = TestID(name.prefix(36)) {
                if name == OutboxLayout.testName(id) {
                    self = .test(id)
                    return
                }
                if name == OutboxLayout.receiptName(id) {
                    self = .receipt(id)
                    return
                }
            }
            return nil
        }
    }

    /// Names in the outbox's own folder that belong there.
    static let ownNames: Set<String> = Set(
        ["tmp", "lock", "edit.lock", "sequence.json"] + TestStatus.allCases.map(\.rawValue))
}
