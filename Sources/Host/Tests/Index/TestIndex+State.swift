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
    ) -> (former: TestIndex.Item?, item: TestIndex.Item?) {
        let former = items.removeValue(forKey: id)
        if let former, let attempts = TestIndex.Attempts(former.summary) { self.attempts[attempts]?.remove(id) }
        self.stamps[id] = stamps
        guard var item else { return (former, nil) }
        // A class answers one questionnaire, and a person many: their names are held once.
        item.summary.questionnaire = subjects.insert(item.summary.questionnaire).memberAfterInsert
        item.summary.person = item.summary.person.map { people.insert($0).memberAfterInsert }
        item.points.questions = questions.insert(item.points.questions).memberAfterInsert
        add(item)
        return (former, item)
    }

    /// Adds an item whose names are held once already; there is none of its id.
    mutating func add(_ item: TestIndex.Item) {
        items[item.summary.id] = item
        if let attempts = TestIndex.Attempts(item.summary) {
            self.attempts[attempts, default: []].insert(item.summary.id)
        }
    }

    /// Forgets all tests.
    mutating func forget() {
        (items, stamps, orders, attempts) = ([:], [:], TestOrders(), [:])
        (subjects, people, questions) = ([], [], [])
    }
}
