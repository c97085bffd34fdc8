import Model

/// Counts each person's tests of a questionnaire, by the times of their arrival: a device's clock decides nothing.
package enum AttemptNumbers {
    /// What is needed of a test to count it.
    package struct Item: Hashable, Sendable {
        package var test: TestID
        /// `nil` for a test without a person, which is the first one of a person of its own.
        package var person: String?
        package var questionnaire: String
        package var receivedAt: Timestamp?

        package init(test: TestID, person: String?, questionnaire: String, receivedAt: Timestamp?) {
            self.test = test
            self.person = person
            self.questionnaire = questionnaire
            self.receivedAt = receivedAt
        }

        var order: (Int64, TestID) { (receivedAt?.millisecondsSinceEpoch ?? .max, test) }
    }

    private struct Series: Hashable {
        var person: String
        var questionnaire: String
    }

    /// - Parameter items: all tests of the persons and questionnaires in question, in any order.
    /// - Returns: the number of each, from 1.
    package static func numbers(of items: [Item]) -> [TestID: Int] {
        var counts: [Series: Int] = [:]
        var numbers: [TestID: Int] = [:]
        for item in items.sorted(by: { $0.order < $1.order }) {
            guard let person = item.person else {
                numbers[item.test] = 1
                continue
            }
            let series = Series(person: person, questionnaire: item.questionnaire)
            counts[series, default: 0] += 1
            numbers[item.test] = counts[series]
        }
        return numbers
    }
}
