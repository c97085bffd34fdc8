import HeapModule

/// Events in the order of their times, those of one time in the order in which they were added.
struct EventQueue<Event> {
    private struct Entry: Comparable {
        var time: Double
        var number: Int
        var event: Event

        static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
        static func < (left: Entry, right: Entry) -> Bool {
            (left.time, left.number) < (right.time, right.number)
        }
    }

    private var entries = Heap<Entry>()
    private var added = 0

    mutating func add(_ event: Event, at time: Double) {
        added += 1
        entries.insert(Entry(time: time, number: added, event: event))
    }

    mutating func popFirst() -> (time: Double, event: Event)? {
        entries.popMin().map { ($0.time, $0.event) }
    }
}
