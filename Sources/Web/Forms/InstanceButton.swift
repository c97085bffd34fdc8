import Model
import OutboxStore
import Quire

/// A button that adds, removes or moves an instance of a repeated section. It saves the form as every other button does.
struct InstanceButton: Hashable, Sendable {
    enum Action: String, Sendable {
        case add, remove, up, down
        /// Removes answers, too: the person has confirmed it.
        case erase
    }

    var action: Action
    /// The instance; 0 for a new one.
    var number: Int
    /// The section's id in the document.
    var section: String

    private static let mark = "instance-"

    init(_ action: Action, _ number: Int = 0, of section: String) {
        self.action = action
        self.number = number
        self.section = section
    }

    /// Reads the value of a button: `instance-remove-2-people`.
    init?(_ value: String?) {
        guard let value, value.hasPrefix(Self.mark) else { return nil }
        let parts = value.dropFirst(Self.mark.count).split(
            separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let action = Action(rawValue: String(parts[0])), let number = Int(parts[1]) else {
            return nil
        }
        self.init(action, number, of: String(parts[2]))
    }

    var value: String { "\(Self.mark)\(action.rawValue)-\(number)-\(section)" }

    enum Outcome: Hashable, Sendable {
        /// The instance to show; `nil` where there is none any more.
        case done(Int?)
        /// It has answers: the person is asked first.
        case asks
        /// It is gone already, or there are as many as there may be.
        case nothing
    }

    /// Blocks on the disk. What another program has changed meanwhile stays.
    func perform(on id: TestID, _ questionnaire: Questionnaire, _ store: QuireStore) throws -> Outcome {
        guard let section = questionnaire.repeatedSection(section) else { return .nothing }
        var outcome = Outcome.nothing
        _ = try store.edit(id) { record in
            let numbers = section.instances(in: record)
            switch action {
            case .add: outcome = record.addInstance(of: section).map { .done($0) } ?? .nothing
            case .up, .down:
                record.moveInstance(number, by: action == .up ? -1 : 1, of: section)
                outcome = numbers.contains(number) ? .done(number) : .nothing
            case .remove, .erase:
                if action == .remove, record.hasAnswers(inInstance: number, of: section) {
                    outcome = .asks
                } else if record.removeInstance(number, of: section) {
                    let left = section.instances(in: record)
                    let place = min(numbers.firstIndex(of: number) ?? 0, left.count - 1)
                    outcome = .done(left.indices.contains(place) ? left[place] : nil)
                }
            }
        }
        return outcome
    }
}
