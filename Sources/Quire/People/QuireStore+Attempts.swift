import Model
import OutboxStore

/// A test that cannot begin now, as far as the device knows; the server decides when it arrives.
package struct BeginRefusal: DescribedError, Equatable {
    package var questionnaire: String
    package var access: Availability.Access

    package var description: String {
        "“\(questionnaire)” cannot be taken now: " + (access.refusal(.english) ?? "")
    }

    /// Whether waiting helps.
    package var isForNow: Bool {
        if case .opens = access { return true }
        return false
    }
}

extension QuireStore {
    /// The number of the test that the current person would begin now, from 1: after those that they have finished here,
    /// and the attempts that receipts name.
    package func nextAttempt(ofQuestionnaire id: String) throws -> Int {
        guard let person = try currentPerson() else { return 1 }
        var finished = 0
        var known = 0
        for item in try outbox.scan().tests {
            switch item.status {
            case .empty, .inProgress, .rejected, .conflict: continue
            default: break
            }
            guard let record = try? outbox.read(item).record, record.questionnaire.id == id,
                record.person?.id == person.id
            else { continue }
            finished += 1
            known = max(known, (try? outbox.receipt(item))?.attempt ?? 0)
        }
        return max(finished, known) + 1
    }

    /// Whether the current person may begin a test now, by what the device knows.
    package func access(to questionnaire: Questionnaire) throws -> Availability.Access {
        guard let availability = questionnaire.availability else { return .open }
        let attempt = availability.attempts == nil ? 1 : try nextAttempt(ofQuestionnaire: questionnaire.id)
        return availability.access(now: clock.now, attempt: attempt)
    }

    /// - Throws: `BeginRefusal`.
    func checkBeginning(_ questionnaire: Questionnaire) throws {
        let access = try access(to: questionnaire)
        if access.refusal(.english) != nil {
            throw BeginRefusal(questionnaire: questionnaire.title, access: access)
        }
    }
}
