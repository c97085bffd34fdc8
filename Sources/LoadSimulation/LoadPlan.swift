/// A school day: how many take tests, when, and what the hosts can do. All times in seconds.
package struct LoadPlan: Sendable {
    package var devices = 1000
    /// How many devices are in one room with a hub, which carries their tests; 0: none.
    package var devicesPerHub = 0
    package var testsPerDevice = 3
    /// From the beginning of a lesson to the next one's; each has one test.
    package var lessonSeconds = 3600.0
    /// The devices of a lesson are switched on within this time.
    package var arrivalSeconds = 60.0
    /// The tests of a lesson are finished within this time before its end.
    package var finishSeconds = 600.0
    /// The servers do not answer from then, for as long.
    package var outageBegins = 10_200.0
    package var outageSeconds = 3600.0
    /// The part of the tests whose answers wait for a person's points, until the end of the day.
    package var checkedPart = 0.0
    package var hosts = 1
    /// The time that one request keeps a host busy: what is more than one core does at once is divided by their number.
    package var deliverySeconds = 0.004
    /// The same for a request that changes nothing.
    package var readSeconds = 0.0005
    /// Connections that one host answers at a time; the ones above are closed.
    package var connectionsPerHost = 768
    /// There and back, for one request.
    package var roundTripSeconds = 0.05
    /// The longest time that a device waits for a reply.
    package var patienceSeconds = 30.0
    package var seed: UInt64 = 1

    package init() {}

    /// `nil` without an outage.
    var outageEnds: Double? { outageSeconds > 0 ? outageBegins + outageSeconds : nil }

    func isInOutage(_ time: Double) -> Bool { outageEnds.map { time >= outageBegins && time < $0 } ?? false }

    /// - Throws: `LoadPlanFault` that names the argument.
    package init(_ arguments: some Sequence<String>) throws(LoadPlanFault) {
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let value = Double(parts[1]), value.isFinite, value >= 0, value <= 1e7 else {
                throw LoadPlanFault(argument: argument)
            }
            switch parts[0] {
            case "devices" where value >= 1: devices = Int(value)
            case "hub": devicesPerHub = Int(value)
            case "tests": testsPerDevice = Int(value)
            case "lesson" where value >= 1: lessonSeconds = value
            case "arrival": arrivalSeconds = value
            case "finish": finishSeconds = value
            case "outage-at": outageBegins = value
            case "outage": outageSeconds = value
            case "checked" where value <= 1: checkedPart = value
            case "hosts" where value >= 1: hosts = Int(value)
            case "delivery": deliverySeconds = value
            case "read": readSeconds = value
            case "connections" where value >= 1: connectionsPerHost = Int(value)
            case "round-trip": roundTripSeconds = value
            case "patience" where value > 0: patienceSeconds = value
            case "seed": seed = UInt64(value)
            default: throw LoadPlanFault(argument: argument)
            }
        }
        guard finishSeconds <= lessonSeconds else { throw LoadPlanFault(argument: "finish") }
    }
}

package struct LoadPlanFault: Error, CustomStringConvertible {
    package var argument: String

    package var description: String {
        "“\(argument)” is not understood: give name=number, as in devices=1000 hosts=2 outage=3600; the names are in docs/scale.md"
    }
}
