import Model
import WireFormat

/// When a device submitted a test, and with which credentials. Kept until the test is delivered.
///
/// The same bytes may come with several keys. All of them are kept, in the order in which they were shown: whose test it is, the
/// upstream decides.
struct SubmissionOrigin: Hashable, Sendable, Codable {
    var keptAt: Timestamp
    /// The Authorization that was shown first, where the hub does not lend its token. It is a secret: the file is the
    /// owner's alone, and it is never shown or logged.
    private(set) var authorization: String?
    /// Others that came with the same bytes later.
    private(set) var others: [String]?
    /// Of a file whose bytes are still coming: it is not kept yet.
    var isUnderWay: Bool?

    /// So many are kept.
    static let mostKeys = 8

    init(keptAt: Timestamp, authorization: String? = nil, isUnderWay: Bool = false) {
        self.keptAt = keptAt
        self.authorization = authorization
        self.isUnderWay = isUnderWay ? true : nil
    }

    /// All that were shown, the first one first.
    var keys: [String] { (authorization.map { [$0] } ?? []) + (others ?? []) }

    private mutating func replace(_ keys: [String]) {
        authorization = keys.first
        others = keys.count > 1 ? Array(keys.dropFirst()) : nil
    }

    /// Keeps one more. None takes the place of one that is here; where there are too many, a known one takes the place of the last
    /// that is not known, and one that is not known of the last such but the first.
    ///
    /// - Parameter isKnown: whether the upstream has accepted a key before.
    /// - Returns: whether it is new.
    mutating func add(_ shown: String, isKnown: (String) -> Bool) -> Bool {
        var keys = keys
        if keys.contains(where: { Self.areSame($0, shown) }) { return false }
        if keys.count >= Self.mostKeys {
            guard let last = keys.lastIndex(where: { !isKnown($0) }), last > 0 || isKnown(shown) else { return false }
            keys.remove(at: last)
        }
        replace(keys + [shown])
        return true
    }

    /// Drops one that the upstream refused.
    mutating func drop(_ refused: String) { replace(keys.filter { !Self.areSame($0, refused) }) }

    /// However it was written.
    static func areSame(_ left: String, _ right: String) -> Bool {
        guard let first = BearerKey.text(in: left), let second = BearerKey.text(in: right) else { return left == right }
        return BearerKey.areEqual(BearerKey.digest(of: first), BearerKey.digest(of: second))
    }
}
