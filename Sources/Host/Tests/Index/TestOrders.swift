import Model

/// The ids of tests in their order: of all, and of those of a status, of a questionnaire, and of both.
struct TestOrders: Sendable {
    private struct Selection: Hashable {
        var status: TestStatus?
        /// By bytes: to String é composed and é decomposed are one, and here they are two ids.
        var questionnaire: [UInt8]?
    }

    /// A test, with the values that decide in which lists it is.
    struct Entry: Sendable {
        var id: TestID
        var status: TestStatus
        var questionnaire: String

        init(_ summary: TestSummary) {
            id = summary.id
            status = summary.status
            questionnaire = summary.questionnaire.id
        }
    }

    private var orders: [Selection: [TestID]] = [:]

    /// With more changes than this, sorting everything costs less than putting each in its place.
    private static let fewChanges = 256

    func ids(status: TestStatus?, questionnaire: String?) -> [TestID] {
        orders[Selection(status: status, questionnaire: questionnaire.map { Array($0.utf8) })] ?? []
    }

    mutating func apply(removed: [Entry], added: [Entry]) {
        let isSmall = removed.count + added.count <= Self.fewChanges
        if isSmall {
            for entry in removed { each(entry) { Self.remove(entry.id, from: &$0) } }
            for entry in added { each(entry) { Self.insert(entry.id, into: &$0) } }
            return
        }
        var gone: [Selection: Set<TestID>] = [:]
        for entry in removed {
            for selection in Self.selections(entry) { gone[selection, default: []].insert(entry.id) }
        }
        for (selection, ids) in gone { orders[selection]?.removeAll { ids.contains($0) } }
        var changed: Set<Selection> = []
        for entry in added {
            for selection in Self.selections(entry) {
                orders[selection, default: []].append(entry.id)
                changed.insert(selection)
            }
        }
        for selection in changed { orders[selection]?.sort() }
    }

    /// The index of the first greater id.
    static func place(after text: String, in ids: [TestID]) -> Int { firstPlace(in: ids) { $0.description > text } }

    private static func selections(_ entry: Entry) -> [Selection] {
        let questionnaire = Array(entry.questionnaire.utf8)
        return [
            Selection(), Selection(status: entry.status), Selection(questionnaire: questionnaire),
            Selection(status: entry.status, questionnaire: questionnaire),
        ]
    }

    private mutating func each(_ entry: Entry, _ change: (inout [TestID]) -> Void) {
        for selection in Self.selections(entry) {
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
