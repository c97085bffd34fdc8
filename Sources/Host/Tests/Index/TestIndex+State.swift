import Disk
import Model

extension TestIndex.State {
    /// Puts what is known of a test in the place of what was known.
    ///
    /// - Parameters:
    ///   - item: `nil` where there is no such test, or a damaged one.
    ///   - stamps: `nil` where there is no such file.
    /// - Returns: both items, for the orders.
    mutating func put(
        _ item: TestIndex.Item?, _ stamps: TestIndex.Stamps?, of id: TestID
    ) -> (former: TestOrders.Entry?, item: TestOrders.Entry?) {
        let (former, isChanged) = tests.put(item, stamps, of: id)
        if isChanged { unsaved.insert(id) }
        if let former, let attempts = TestIndex.Attempts(former.summary) {
            self.attempts[attempts]?.removeAll { $0 == id }
            if self.attempts[attempts]?.isEmpty == true { self.attempts[attempts] = nil }
        }
        return (former.map { TestOrders.Entry($0.summary) }, item.map { note($0) })
    }

    /// Adds a message of the index's file.
    ///
    /// - Returns: the test in it, for the orders; `nil` where it is damaged.
    /// - Throws: `FieldReader.Fault` where the message is none of ours, or has a test that is there.
    mutating func add(_ message: UnsafeRawBufferPointer) throws(FieldReader.Fault) -> TestOrders.Entry? {
        try tests.add(message).map { note($0) }
    }

    private mutating func note(_ item: TestIndex.Item) -> TestOrders.Entry {
        if let attempts = TestIndex.Attempts(item.summary) {
            self.attempts[attempts, default: []].append(item.summary.id)
        }
        return TestOrders.Entry(item.summary)
    }

    /// Forgets all tests.
    mutating func forget() { (tests, orders, attempts) = (PackedTests(), TestOrders(), [:]) }
}
