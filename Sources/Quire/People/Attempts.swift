import Model
import OutboxStore

/// A test that cannot begin now, as far as the device knows; the server decides when it arrives.
package struct BeginRefusal: Error, Equatable {
    package var questionnaire: String
    package var access: Availability.Access

    /// Whether waiting helps.
    package var isForNow: Bool {
        if case .opens = access { return true }
        return false
    }
}

/// Counts the attempts of people at questionnaires, and decides whether one may be started.
package struct Attempts: Sendable {
    let outbox: Outbox
    let people: People
    let clock: any StoreClock

    /// The number of the test that the current person would begin now, from 1: after those that they have finished here,
    /// and the attempts that receipts name.
    package func next(ofQuestionnaire id: String) throws -> Int {
        try next(ofQuestionnaire: id, by: try people.current())
    }

    /// Without a person there is no counting.
    func next(ofQuestionnaire id: String, by person: Person?) throws -> Int {
        guard let person else { return 1 }
        var tests: [(TestStatus, Int?)] = []
        for item in try outbox.scan().tests where Self.isCounted(item.status) {
            guard let record = outbox.listed(item)?.record, record.questionnaire.id == id,
                record.person?.id == person.id
            else { continue }
            tests.append((item.status, (try? outbox.receipt(item))?.attempt))
        }
        return Self.next(after: tests)
    }

    static func isCounted(_ status: TestStatus) -> Bool {
        status.isWaiting || status.isDelivered
    }

    /// The number of the test that follows those of one person and questionnaire; the attempts are those of their receipts.
    static func next(after tests: [(status: TestStatus, attempt: Int?)]) -> Int {
        let counted = tests.filter { isCounted($0.status) }
        return max(counted.count, counted.compactMap(\.attempt).max() ?? 0) + 1
    }

    /// Whether the current person may begin a test now, by what the device knows.
    package func access(to questionnaire: Questionnaire) throws -> Availability.Access {
        guard let availability = questionnaire.availability else { return .open }
        let attempt = availability.attempts == nil ? 1 : try next(ofQuestionnaire: questionnaire.id)
        return availability.access(now: clock.now, attempt: attempt)
    }

    /// - Throws: `PersonError.notListed`, `BeginRefusal`.
    func checkBeginning(_ questionnaire: Questionnaire) throws {
        try people.classList.check(try people.current())
        let access = try access(to: questionnaire)
        if !access.mayBegin { throw BeginRefusal(questionnaire: questionnaire.title, access: access) }
    }
}
