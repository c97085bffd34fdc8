import Model

/// The ids of tests in their order: of all, and of those of a status, of a questionnaire, and of both.
struct TestOrders: Sendable {
    private struct Selection: Hashable {
        var status: TestStatus?
        /// By bytes: to String é composed and é decomposed are one, and here they are two ids.
        var questionnaire: [UInt8]?
    }

    private var orders: [Selection: [TestID]] = [:]

    /// With more changes than this, sorting everything costs less than putting each in its place.
    private static let fewChanges = 256

    func ids(status: TestStatus?, questionnaire: String?) -> [TestID] {
        orders[Selection(status: status, questionnaire: questionnaire.map { Array($0.utf8) })] ?? []
    }

    mutating func apply(removed: [TestSummary], added: [TestSummary]) {
        let isSmall = removed.count + added.count <= Self.fewChanges
        if isSmall {
            for summary in removed { each(summary) { Self.remove(summary.id, from: &$0) } }
            for summary in added { each(summary) { Self.insert(summary.id, into: &$0) } }
            return
        }
        var gone: [Selection: Set<TestID>] = [:]
        for summary in removed {
            for selection in Self.selections(summary) { gone[selection, default: []].insert(summary.id) }
        }
        for (selection, ids) in gone { orders[selection]?.removeAll { ids.contains($0) } }
        var changed: Set<Selection> = []
        for summary in added {
            for selection in Self.selections(summary) {
                orders[selection, default: []].append(summary.id)
                changed.insert(selection)
            }
        }
        for selection in changed { orders[selection]?.sort() }
    }

    /// The index of the first greater id.
    static func place(after text: String, in ids: [TestID]) -> Int { firstPlace(in: ids) { $0.description > text } }

    private static func selections(_ summary: TestSummary) -> [Selection] {
        let questionnaire = Array(summary.questionnaire.id.utf8)
        return [
            Selection(), Selection(status: summary.status), Selection(questionnaire: questionnaire),
            Selection(status: summary.status, questionnaire: questionnaire),
        ]
    }

    private mutating func each(_ summary: TestSummary, _ change: (inout [TestID]) -> Void) {
        for selection in Self.selections(summary) {
            change(&orders[selection, default: []])
            if orders[selection]?.isEmpty == true { orders[selection] = nil }
        }
    }

    private static func insert(_ id: TestID, into ids: inout [TestID]) {
        ids.insert(id, at: firstPlace(in: ids) { $0 > id })
    }

    private static func remove(_ id: TestID, from ids: inout [TestID]) {
        let place = firstPlace(in: ids) { $0 >= id }
        if place < ids.count, ids[place] == id { ids.remove(at: place) }
    }

    private static func firstPlace(in ids: [TestID], _ isBehind: (TestID) -> Bool) -> Int {
        var low = 0
        var high = ids.count
        while low < high {
            let middle = (low + high) / 2
            if isBehind(ids[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
