import Model
import Sync

/// Which tests a device shows: on one that people share, those of the current person, and those without a person.
package struct ShownTests: Sendable, Hashable {
    /// Everything: on a device without people, and for its operator.
    package static let all = ShownTests(current: nil, isShared: false)

    /// Who uses the device now.
    package var current: Person?
    /// Whether people are set up on the device.
    package var isShared: Bool

    package init(current: Person?, isShared: Bool) {
        self.current = current
        self.isShared = isShared
    }

    package init(_ state: People.State) { self.init(current: state.current, isShared: !state.people.isEmpty) }

    /// Whether a test is shown; one whose file cannot be read is shown to everybody.
    package func includes(_ record: TestRecord?) -> Bool {
        guard isShared, let owner = record?.person else { return true }
        return owner.id == current?.id
    }
}

/// A test of a person who is not the current one.
package struct OtherPersonsTest: DescribedError, Equatable {
    package var test: TestID
    package var owner: Person

    package var description: String {
        "test \(test) belongs to \(owner.fullName), who is not the current person: “quire person use \(owner.id)” switches"
    }
}
