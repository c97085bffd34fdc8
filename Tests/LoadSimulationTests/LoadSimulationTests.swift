import Model
import Sync
import Testing

@testable import LoadSimulation

@Suite("A school day of many devices")
struct LoadSimulationTests {
    private func plan(_ change: (inout LoadPlan) -> Void = { _ in }) -> LoadPlan {
        var plan = LoadPlan()
        plan.devices = 300
        change(&plan)
        return plan
    }

    @Test("all tests are delivered, whatever fails meanwhile", arguments: [1, 2, 3] as [UInt64])
    func delivered(seed: UInt64) {
        let reports = [
            plan { $0.seed = seed },
            // More at once than the host has places for, and a host that takes its time.
            plan {
                ($0.seed, $0.connectionsPerHost, $0.deliverySeconds) = (seed, 4, 0.5)
                ($0.arrivalSeconds, $0.finishSeconds) = (0, 0)
            },
            plan { ($0.seed, $0.devicesPerHub) = (seed, 30) },
            // Replies that come after the device has given up.
            plan { ($0.seed, $0.deliverySeconds, $0.finishSeconds, $0.patienceSeconds) = (seed, 1, 0, 5) },
        ].map(LoadDay.run)
        for report in reports { #expect(report.tests == 900 && report.delivered == 900) }
        #expect(reports[1].closed > 0 && reports[3].tooLate > 0)
    }

    @Test("the same seed gives the same day, another one another day")
    func seeds() {
        let reports = [1, 1, 2].map { seed in LoadDay.run(plan { $0.seed = seed }) }
        #expect(reports[0] == reports[1] && reports[0] != reports[2])
    }

    @Test("without a failure a device asks for the list, whether it is the server, and delivers")
    func requests() {
        let report = LoadDay.run(
            plan { ($0.testsPerDevice, $0.outageSeconds, $0.lessonSeconds, $0.finishSeconds) = (1, 0, 600, 100) })
        // Switched on: the list and the questionnaire; finished: the list, the greeting, and the test.
        #expect(report.requests == 300 * 5 && report.deliveries == 300)
        #expect(report.closed == 0 && report.unreachable == 0)
    }

    @Test("after an outage devices come back spread over their pauses, hubs within seconds")
    func outage() {
        let devices = LoadDay.run(plan())
        let hubs = LoadDay.run(plan { $0.devicesPerHub = 30 })
        #expect(devices.unreachable > 0 && devices.secondsUntilAllDelivered > 300)
        #expect(devices.secondsUntilAllDelivered < WatchDecision.standardIntervalSeconds + 60)
        #expect(hubs.secondsUntilAllDelivered < 60)
    }

    @Test("a queue answers in turn, and has no place for more than it was given")
    func host() {
        var host = LoadHost(places: 2)
        #expect(host.take(at: 0, for: 2) == .answered(at: 2))
        #expect(host.take(at: 1, for: 2) == .answered(at: 4))
        #expect(host.take(at: 1, for: 2) == .turnedAway)
        // One was turned away, and nothing was answered yet.
        #expect((1...5).contains(host.returnSeconds(random: 0.9, now: 1)))
        #expect(host.take(at: 2, for: 2) == .answered(at: 6))
        #expect(host.take(at: 10, for: 1) == .answered(at: 11))
        #expect(host.mostWaiting == 2)
    }

    @Test("events come in the order of their times, and of their adding", arguments: [1, 2, 3] as [UInt64])
    func order(seed: UInt64) {
        var events = EventQueue<Int>()
        var expected: [(time: Double, event: Int)] = []
        var state = seed
        for event in 0..<500 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let time = Double(state >> 58)
            events.add(event, at: time)
            expected.append((time, event))
        }
        expected.sort { ($0.time, $0.event) < ($1.time, $1.event) }
        for entry in expected {
            let next = events.popFirst()
            #expect(next?.time == entry.time && next?.event == entry.event)
        }
        #expect(events.popFirst() == nil)
    }

    @Test(
        "what is no plan is named",
        arguments: [["devices"], ["devices=0"], ["hosts=x"], ["sun=1"], ["checked=2"], ["lesson=10", "finish=20"]])
    func faults(arguments: [String]) {
        #expect(throws: LoadPlanFault.self) { try LoadPlan(arguments) }
    }
}
