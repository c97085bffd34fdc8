import Disk
import Model

/// What a host knows of a test when it arrives: whose it is, which attempt, and whether it is taken.
struct TestAdmission: Sendable {
    var person: Receipt.ProvenPerson?
    var attempt: Int?
    var decision = Availability.Admission.accepted(late: nil)

    var refusal: TestRefusal? {
        switch decision {
        case .accepted: nil
        case .notOpen(let time): .notOpen(until: time)
        case .closed(let time): .closed(since: time)
        case .noAttemptLeft(let count): .noAttemptLeft(of: count)
        }
    }

    func note(in receipt: inout Receipt) {
        receipt.person = person
        receipt.attempt = attempt
        if case .accepted(let late?) = decision {
            receipt.late = true
            receipt.reasonCode = receipt.reasonCode ?? late
        }
    }
}

extension TestArchive {
    /// - Parameter key: the person whose key came with the test.
    func admission(of record: TestRecord, receivedAt: Timestamp, provenBy key: String?) throws -> TestAdmission {
        var admission = TestAdmission()
        let availability = try availability(of: record)
        if let person = record.person {
            let isProven = person.id == key
            admission.person = Receipt.ProvenPerson(id: person.id, verified: isProven)
            let former = try tests(of: person.id, in: record.questionnaire.id)
                .filter { $0.id != record.id && $0.isBefore(receivedAt) }
            admission.attempt = 1 + UsedAttempts.count(former, isProven: isProven)
        }
        if let availability, try !isAwaitedCorrection(record) {
            admission.decision = availability.admission(
                attempt: admission.attempt, timing: record.timing, receivedAt: receivedAt)
        }
        return admission
    }

    /// Whether a teacher sent the test back that this one corrects, and this is the first correction since then: that is taken
    /// whatever the number of attempts, and after the end. A test without a person is corrected by
    /// anyone who can name it.
    private func isAwaitedCorrection(_ record: TestRecord) throws -> Bool {
        guard let parent = record.parent, let (former, receipt) = try stored(parent), let returned = receipt.returned,
            former.person == nil || former.person?.id == record.person?.id,
            former.questionnaire.id == record.questionnaire.id
        else { return false }
        guard let person = record.person else { return true }
        return try !tests(of: person.id, in: record.questionnaire.id)
            .contains { $0.parent == parent && $0.id != record.id && $0.receivedAt.map { $0 >= returned.at } == true }
    }

    /// Whether a test has to be counted before it is stored.
    func needsAttemptsLock(_ record: TestRecord) throws -> Bool {
        try record.person != nil && availability(of: record)?.attempts != nil
    }

    /// That of the published version, which a teacher may have changed since; else of the version that was taken.
    private func availability(of record: TestRecord) throws -> Availability? {
        if let current = try catalog.document(id: record.questionnaire.id)?.published {
            return current.questionnaire.availability
        }
        return try version(of: record)?.questionnaire.availability
    }

    /// Notes that a test which is here already came with a key of its person.
    ///
    /// - Returns: the receipt's bytes where it changed.
    func notePerson(of record: TestRecord, provenBy key: String?) throws -> [UInt8]? {
        guard let person = record.person, person.id == key else { return nil }
        return try files.lockedReceipts {
            while true {
                guard let stored = try storedReceipt(of: record.id), stored.receipt.action == nil,
                    stored.receipt.person?.verified != true
                else { return nil }
                var receipt = stored.receipt
                receipt.person = Receipt.ProvenPerson(id: person.id, verified: true)
                // Another host may have changed it meanwhile.
                if let bytes = try write(receipt, after: stored.version) { return bytes }
            }
        }
    }

    /// The tests of a person of a questionnaire, in no order.
    func tests(of person: String, in questionnaire: String) throws -> [TestSummary] {
        guard let noted = try files.tests(of: person, in: questionnaire) else {
            return try index.tests(of: person, in: questionnaire, of: self)
        }
        // A test that was noted may have been refused, or its writer killed before it was stored.
        return try noted.compactMap { try item(of: $0)?.summary }
            .filter { $0.person?.id == person && $0.questionnaire.id == questionnaire }
    }
}

extension TestSummary {
    fileprivate func isBefore(_ time: Timestamp) -> Bool { receivedAt.map { $0 <= time } ?? true }
}
