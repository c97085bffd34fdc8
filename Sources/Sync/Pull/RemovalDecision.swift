import Model

/// Decides which local questionnaires to remove that the server's list no longer names: one rule for a device's pull,
/// for the content that a hub keeps for its room, and, in the same words, for the app (`removals.js`).
///
/// A server may have been started with a wrong folder, or before its disk was mounted, so a list may be empty or much shorter
/// than it should be. Such a list removes nothing by itself:
///
/// - A list that lacks one questionnaire, or at most a quarter of the local ones, is plausible: missing ones are
///   removed.
/// - What a shorter list lacks is kept until a list of a day later or more lacks it, too.
/// - An empty list never removes anything; a person may.
package struct RemovalDecision: Sendable, Equatable {
    /// To be removed now.
    package var removed: Set<String> = []
    /// Kept until a later list confirms the removal, or names it again.
    package var held: Set<String> = []

    /// The time between the first list that lacks a questionnaire and the one that confirms its removal.
    package static let confirmationSeconds: Double = 24 * 3600
    /// The number that a list may always lack.
    static let plausibleCount = 1
    /// The divisor of the share that a list may lack.
    static let plausibleShare = 4

    /// - Parameters:
    ///   - here: all that is here, with the time of the first list that lacked it; `nil` where the last one named it.
    ///   - listed: the ids in the complete list.
    ///   - isForced: a person wants exactly what the list names.
    package static func decide(
        here: [String: Timestamp?], listed: Set<String>, now: Timestamp, isForced: Bool = false
    ) -> RemovalDecision {
        let missing = here.filter { !listed.contains($0.key) }
        if isForced { return RemovalDecision(removed: Set(missing.keys)) }
        if listed.isEmpty { return RemovalDecision(held: Set(missing.keys)) }
        let confirmed = missing.filter { _, since in
            since.map { now.seconds(since: $0) >= confirmationSeconds } ?? false
        }
        let recent = missing.count - confirmed.count
        let isPlausible =
            recent <= plausibleCount || recent * plausibleShare <= here.count - confirmed.count
        if isPlausible { return RemovalDecision(removed: Set(missing.keys)) }
        return RemovalDecision(removed: Set(confirmed.keys), held: Set(missing.keys).subtracting(confirmed.keys))
    }
}
