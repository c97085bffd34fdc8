import Authoring
import Model

/// Closing a questionnaire, and opening it again.
extension DraftDocument {
    /// Whether the time for tests has ended.
    func isClosed(at time: Timestamp) -> Bool { Availability(closesAt: closesAt).isClosed(at: time) }

    var closesAt: Timestamp? { members["availability"]?.members?["closesAt"]?.text.flatMap(Timestamp.init) }

    /// A test that comes from now on is late: the last moment was the one before.
    ///
    /// One that has not opened yet loses that time, too: nothing closes before it opens.
    ///
    /// - Parameter late: what becomes of a test that comes later; `nil` for as before.
    mutating func close(at time: Timestamp, late: String?) {
        let last = Timestamp(millisecondsSinceEpoch: time.millisecondsSinceEpoch - 1)
        members.change("availability") { availability in
            availability["closesAt"] = .string(last.description)
            if let opens = availability["opensAt"]?.text.flatMap(Timestamp.init), opens >= time {
                availability["opensAt"] = nil
            }
            if let late { availability.set("late", text: late == "accept" ? "" : late) }
        }
    }

    mutating func reopen() { members.change("availability") { $0["closesAt"] = nil } }
}
