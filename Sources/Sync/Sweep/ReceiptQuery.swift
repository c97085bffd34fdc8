import Disk
import HTTPTypes
import Model
import OutboxStore
import WireFormat

/// Asks the remote about items that it may have.
struct ReceiptQuery: Sendable {
    let remote: any Remote
    let clock: any StoreClock
    let journal: Journal

    /// Ids in one question for receipts.
    static let pollSize = 100

    /// After so many answers that cannot be used, and none that could be, it is not their length.
    static let mostUselessAnswers = 16

    /// Asks about tests and changes, about as many at once as the remote's answer has room for: where it is too long or
    /// has too many values, it is asked again about half as many. One whose own answer is too long is passed over. An
    /// answer that cannot be used keeps nothing from being sent.
    ///
    /// - Parameter hear: gets those asked about together, and the answer.
    func ask<Answer: Decodable>(
        about items: [OutboxItem], as type: Answer.Type, _ report: inout Sweeper.Report,
        _ hear: (ArraySlice<OutboxItem>, Answer, inout Sweeper.Report) async throws -> Void
    ) async throws -> SweepStep {
        // Halves go behind the others: what can be heard is heard first.
        var stretches = stride(from: 0, to: items.count, by: Self.pollSize)
            .map { items[$0..<min($0 + Self.pollSize, items.count)] }
        var next = 0
        var uselessAnswers = 0
        var hasHeard = false
        while next < stretches.count {
            let asked = stretches[next]
            next += 1
            switch await question(asked, type) {
            case .answer(let answer):
                hasHeard = true
                try await hear(asked, answer, &report)
            case .unusable(let reason):
                uselessAnswers += 1
                let isHopeless = !hasHeard && uselessAnswers == Self.mostUselessAnswers
                if asked.count == 1 || isHopeless { report.unheard = reason }
                if isHopeless { return .proceed }
                if asked.count > 1 {
                    let middle = asked.startIndex + asked.count / 2
                    stretches += [asked[..<middle], asked[middle...]]
                }
            case .silence: return .proceed
            case .failure(let failure):
                return .stop(reason: failure.reason, isUnreachable: failure.kind != .cancelled)
            }
        }
        return .proceed
    }

    private enum Answered<Answer> {
        case answer(Answer)
        case unusable(String)
        /// A server that gives no answer may still accept them when they are due.
        case silence
        case failure(RemoteFailure)
    }

    private func question<Answer: Decodable>(
        _ items: ArraySlice<OutboxItem>, _ type: Answer.Type
    ) async -> Answered<Answer> {
        do throws(RemoteFailure) {
            let reply = try await remote.receipts(of: items.map(\.id))
            note(.success(reply))
            if reply.isFromStranger { return .failure(RemoteFailure(.notTheServer, reply.strangerReason)) }
            guard reply.status == 200 else { return .silence }
            do throws(DocumentFault) {
                return .answer(try DocumentCoding.decode(type, from: reply.body))
            } catch {
                let asked = items.count == 1 ? "\(items[items.startIndex].id)" : "\(items.count) receipts"
                return .unusable("the answer about \(asked) cannot be used: \(error)")
            }
        } catch {
            note(.failure(error))
            return error.kind == .invalidReply ? .unusable(error.reason) : .failure(error)
        }
    }

    func note(_ outcome: Result<RemoteReply, RemoteFailure>) {
        if let contact = Contact(after: outcome, now: clock.now) { journal.note(contact) }
    }
}
