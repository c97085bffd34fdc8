import Model
import WireFormat

/// Whose the tests and uploads at the hub are, by the keys that came with them.
///
/// All calls block on the disk.
struct SubmissionOwners: Sendable {
    let submissions: SubmissionLog
    let keys: DeviceKeys

    /// Whether a device may begin an upload, or begin it once more.
    ///
    /// - Returns: `false` for the upload of another sender, where the hub does not know any more whose the test is.
    /// - Throws: `UploadFault.testUnknown` for a file of another's test.
    func mayBegin(_ upload: TestID, of owner: MediaOwner, _ shown: String?) throws -> Bool {
        guard let test = owner.test, let origin = submissions.origin(of: test) else {
            // Any author begins the upload of a questionnaire's file.
            return owner.test == nil || mayContinue(upload, of: owner, shown)
        }
        guard isOne(of: origin.keys, shown, isOfTest: true) else { throw UploadFault.testUnknown(test) }
        return true
    }

    /// Whether a device may continue, cancel or ask after an upload. One that began without a key is open.
    func mayContinue(_ upload: TestID, of owner: MediaOwner, _ shown: String?) -> Bool {
        let origin = submissions.origin(of: upload) ?? owner.test.flatMap { submissions.origin(of: $0) }
        return isOne(of: origin?.keys ?? [], shown, isOfTest: owner.test != nil)
    }

    /// Notes, durably, who begins an upload.
    func noteBegun(_ upload: TestID, _ key: String?, at now: Timestamp) throws {
        _ = try submissions.note(key, of: upload, at: now, isUnderWay: true) { keys.isKnown($0) }
    }

    func forgetBegun(_ upload: TestID) throws { try submissions.forget(upload) }

    /// Whether a key is one of those that came with a submission, or may do the same on the upstream: another key of the same
    /// person, or a known one without a person.
    private func isOne(of kept: [String], _ shown: String?, isOfTest: Bool) -> Bool {
        if kept.isEmpty { return true }
        if let shown, kept.contains(where: { SubmissionOrigin.areSame($0, shown) }) { return true }
        switch keys.knownAccess(shown) {
        case .open: return true
        case .unknown: return false
        case .role(let role, let bound):
            guard isOfTest || role >= .author else { return false }
            guard role < .teacher, let person = bound else { return true }
            return kept.contains { keys.knownPerson($0) == person }
        }
    }
}
