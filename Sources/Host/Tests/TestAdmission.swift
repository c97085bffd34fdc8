import Disk
import Model

/// What a host knows of a test when it arrives: whose it is, which attempt, and whether it is taken.
struct TestAdmission: Sendable {
    var person: Receipt.ProvenPerson?
    var attempt: Int?
    var decision = Availability.Admission.accepted(late: nil)
    /// Where hosts share a bucket: the number of the last attempt that was taken, if this one is to be taken next.
    var lastTaken: Int?

    var refusal: TestRefusal? {
        switch decision {
        case .accepted: nil
        case .notOpen(let time): .notOpen(until: time)
        case .closed(let time): .closed(since: time)
        case .noAttemptLeft(let count): .noAttemptLeft(of: count)
        case .overTimeLimit(let seconds): .overTimeLimit(of: seconds)
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

/// Decides on tests that arrive: by the number of a person's attempts, and the times of the questionnaire.
struct TestAdmissions: Sendable {
    let received: ReceivedTests
    let lists: TestLists
    let catalog: QuestionnaireCatalog
    let clock: any StoreClock

    /// - Parameters:
    ///   - key: the person whose key came with the test.
    ///   - isStored: whether the test is stored already.
    func admission(
        of record: TestRecord, receivedAt: Timestamp, provenBy key: String?, isStored: Bool = true
    ) throws -> TestAdmission {
        var admission = TestAdmission()
        let availability = try availability(of: record)
        var others: [TestSummary] = []
        var taken: AttemptLog?
        if let person = record.person {
            let isProven = person.id == key
            admission.person = Receipt.ProvenPerson(id: person.id, verified: isProven)
            if availability?.attempts != nil {
                taken = try received.files.takenAttempts(of: person.id, in: record.questionnaire.id)
                    .map { AttemptLog($0, for: record.id, isStored: isStored, at: clock.now) }
            }
            others = try lists.tests(of: person.id, in: record.questionnaire.id).filter { $0.id != record.id }
            if let taken {
                others = taken.before(others)
                admission.attempt = taken.own?.attempt ?? 1 + taken.count(with: others, isProven: isProven)
                admission.lastTaken = taken.own == nil ? taken.lastNumber : nil
            } else {
                let former = others.filter { $0.isBefore(receivedAt) }
                admission.attempt = 1 + UsedAttempts.count(former, isProven: isProven)
            }
        }
        if let availability, try !isAwaitedCorrection(record, others, taken) {
            admission.decision = try availability.admission(
                attempt: admission.attempt, timing: record.timing,
                limitSeconds: catalog.version(of: record)?.questionnaire.timeLimit, receivedAt: receivedAt)
        }
        return admission
    }

    /// Decides on a new test, and takes its attempt where hosts share a bucket and the number of attempts is limited: durably,
    /// before the test is stored.
    func admit(_ record: TestRecord, receivedAt: Timestamp, provenBy key: String?) throws -> TestAdmission {
        while true {
            let admission = try admission(
                of: record, receivedAt: receivedAt, provenBy: key, isStored: false)
            guard admission.refusal == nil else { return admission }
            // In a list of a person's tests it is seen before it counts.
            if let person = record.person {
                try received.files.note(record.id, of: person.id, in: record.questionnaire.id)
            }
            guard let person = record.person, let last = admission.lastTaken, let attempt = admission.attempt else {
                return admission
            }
            let next = TakenAttempt(
                test: record.id, attempt: attempt, isProven: person.id == key, parent: record.parent,
                takenAt: clock.now)
            if try received.files.take(next, of: person.id, in: record.questionnaire.id, after: last) {
                return admission
            }
            // Another host was quicker: its test counts now.
        }
    }

    /// Whether a teacher sent the test back that this one corrects, and this is the first correction since then: that is taken
    /// whatever the number of attempts, and after the end. A test without a person is corrected by
    /// anyone who can name it.
    ///
    /// - Parameters:
    ///   - others: the person's other tests of the questionnaire, as far as they count before this one.
    ///   - taken: what other hosts are about to store.
    private func isAwaitedCorrection(
        _ record: TestRecord, _ others: [TestSummary], _ taken: AttemptLog?
    ) throws -> Bool {
        guard let parent = record.parent, let (former, receipt) = try received.stored(parent),
            let returned = receipt.returned,
            former.person == nil || former.person?.id == record.person?.id,
            former.questionnaire.id == record.questionnaire.id
        else { return false }
        if record.person == nil { return true }
        if taken?.hasPending(correcting: parent, since: returned.at, besides: others) == true { return false }
        return !others.contains { $0.parent == parent && $0.receivedAt.map { $0 >= returned.at } == true }
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
        return try catalog.version(of: record)?.questionnaire.availability
    }
}

extension TestSummary {
    fileprivate func isBefore(_ time: Timestamp) -> Bool { receivedAt.map { $0 <= time } ?? true }
}
