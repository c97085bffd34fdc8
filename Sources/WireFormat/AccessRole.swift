/// The rights of a key on a host. Each role includes those before it.
package enum AccessRole: String, CaseIterable, Comparable, Sendable, Codable {
    /// Reads questionnaires, delivers tests, and reads the tests that it can name.
    case taker
    /// Also creates, edits and deletes questionnaires.
    case author
    /// Also reads all tests.
    case teacher
    /// Also manages keys.
    case admin

    package static func < (left: AccessRole, right: AccessRole) -> Bool { left.rank < right.rank }

    /// Why a key of this role does not suffice, for the problem of a 403.
    package func refusal(needing minimum: AccessRole) -> String {
        "This needs a key with the role \(minimum.rawValue) or above, and the key has the role \(rawValue): show another key."
    }

    /// The type and the title of that problem.
    package static let refusalKind = "not-allowed"
    package static let refusalTitle = "The key does not allow this"

    private var rank: Int {
        switch self {
        case .taker: 0
        case .author: 1
        case .teacher: 2
        case .admin: 3
        }
    }
}
