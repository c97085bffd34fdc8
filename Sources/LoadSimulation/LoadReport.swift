import Model

/// What a day did to the hosts, and how long the tests waited.
package struct LoadReport: Hashable, Sendable {
    package var tests = 0
    package var delivered = 0
    /// All requests, also those that were not answered.
    package var requests = 0
    package var deliveries = 0
    /// Requests that were turned away (503), or that found no place for their connection.
    package var closed = 0
    /// Requests that were not answered in time.
    package var tooLate = 0
    /// While the servers did not answer.
    package var unreachable = 0
    /// The most requests of one second, by the second.
    package var peakPerSecond = 0
    package var peakSecond = 0
    /// From the end of the outage until the last test that was finished before it is delivered; without an outage from
    /// the last finished test.
    package var secondsUntilAllDelivered = 0.0
    /// From finishing to delivery, of those finished outside the outage.
    package var medianDelaySeconds = 0.0
    package var slowest1PercentSeconds = 0.0
    /// The most of one host's minute that it was busy, 0...1.
    package var busiestMinute = 0.0
    package var mostConnections = 0

    package var requestsPerTest: Double { tests == 0 ? 0 : Double(requests) / Double(tests) }

    package static let head = """
        | devices | hosts | requests a test | most requests in a second | busiest minute of a host | connections at once | \
        turned away | too late | delay, median | delay of the slowest 1 % | all of before the outage's end delivered after |
        | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
        """

    package func row(_ plan: LoadPlan) -> String {
        func seconds(_ value: Double) -> String {
            value < 10 ? "\((value * 100).rounded() / 100) s" : "\(Int(value)) s"
        }
        let hosts = plan.hosts
        let cells = [
            "\(plan.devices)", "\(hosts)", "\((requestsPerTest * 100).rounded() / 100)", "\(peakPerSecond)",
            "\(Int((busiestMinute * 100).rounded())) %", "\(mostConnections)", "\(closed)", "\(tooLate)",
            seconds(medianDelaySeconds), seconds(slowest1PercentSeconds),
            delivered == tests ? seconds(secondsUntilAllDelivered) : "\(tests - delivered) are not delivered",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}
