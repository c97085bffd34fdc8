import HTTPTypes
import Model
import Simulation
import Sync

/// A school day of many devices and a few hosts, event after event: no clock, no network, the same for the same seed.
package struct LoadDay {
    private enum Event {
        case finish(device: Int)
        /// A device's wait is over, unless it has done something meanwhile: then it is at another turn.
        case wake(device: Int, turn: Int)
        case outcome(device: Int, LoadDevice.Request, LoadDevice.Outcome)
        case rated(device: Int)
    }

    private let plan: LoadPlan
    private var generator: SeededGenerator
    private var devices: [LoadDevice]
    private var turns: [Int]
    private var hosts: [LoadHost]
    private var events = EventQueue<Event>()
    private var finished: [TestID: Double] = [:]
    private var busyPerMinute: [Int: Double] = [:]
    private var tally: LoadTally

    package static func run(_ plan: LoadPlan) -> LoadReport {
        var day = LoadDay(plan)
        return day.run()
    }

    private init(_ plan: LoadPlan) {
        self.plan = plan
        tally = LoadTally(plan)
        var generator = SeededGenerator(seed: plan.seed)
        let count = plan.devicesPerHub > 0 ? (plan.devices + plan.devicesPerHub - 1) / plan.devicesPerHub : plan.devices
        devices = (0..<count).map { _ in
            LoadDevice(isHub: plan.devicesPerHub > 0, contactJitter: Double.random(in: 0..<1, using: &generator))
        }
        self.generator = generator
        turns = Array(repeating: 0, count: count)
        hosts = Array(repeating: LoadHost(places: plan.connectionsPerHost), count: plan.hosts)
        schedule()
    }

    private mutating func schedule() {
        let dayEnds = Double(max(1, plan.testsPerDevice)) * plan.lessonSeconds
        for person in 0..<plan.devices {
            let device = plan.devicesPerHub > 0 ? person / plan.devicesPerHub : person
            if plan.devicesPerHub == 0 || person.isMultiple(of: plan.devicesPerHub) {
                events.add(.wake(device: device, turn: 0), at: random(below: plan.arrivalSeconds))
                if plan.checkedPart > 0 { events.add(.rated(device: device), at: dayEnds) }
            }
            for lesson in 0..<plan.testsPerDevice {
                let end = Double(lesson + 1) * plan.lessonSeconds
                let time = end - random(below: plan.finishSeconds)
                tally.noteFinish(at: time)
                events.add(.finish(device: device), at: time)
            }
        }
    }

    private mutating func random(below limit: Double) -> Double {
        limit * Double.random(in: 0..<1, using: &generator)
    }

    private mutating func run() -> LoadReport {
        // A device that waits for its tests' points asks for ever; the day ends with the last delivery.
        while let (time, event) = events.popFirst() {
            if tally.report.delivered == tally.report.tests { break }
            take(event, at: time)
        }
        return result()
    }

    private mutating func take(_ event: Event, at time: Double) {
        let now = Timestamp(millisecondsSinceEpoch: Int64((time * 1000).rounded()))
        switch event {
        case .finish(let device):
            let test = TestID.random(using: &generator)
            finished[test] = time
            devices[device].finish(test, at: now)
            if !devices[device].isInRound { go(device, devices[device].next(now), at: time) }
        case .wake(let device, let turn):
            guard turns[device] == turn, !devices[device].isInRound else { return }
            go(device, devices[device].next(now), at: time)
        case .outcome(let device, let request, let outcome):
            let jitter = random(below: 1)
            go(device, devices[device].received(outcome, to: request, now, jitter: jitter), at: time)
        case .rated(let device): devices[device].rateAll()
        }
    }

    private mutating func go(_ device: Int, _ step: LoadDevice.Step, at time: Double) {
        turns[device] += 1
        switch step {
        case .wait(until: nil): break
        case .wait(until: let moment?):
            // A moment that is rounded to milliseconds may lie before now.
            let until = max(time + 0.001, Double(moment.millisecondsSinceEpoch) / 1000)
            events.add(.wake(device: device, turn: turns[device]), at: until)
        case .send(let request): send(request, from: device, at: time)
        }
    }

    private mutating func send(_ request: LoadDevice.Request, from device: Int, at time: Double) {
        tally.noteRequest(request, at: time)
        func answer(_ outcome: LoadDevice.Outcome, after seconds: Double) {
            events.add(.outcome(device: device, request, outcome), at: time + seconds)
        }
        if plan.isInOutage(time) {
            tally.report.unreachable += 1
            return answer(.failure(RemoteFailure(.unreachable, "cannot connect")), after: plan.roundTripSeconds)
        }
        let host = Int.random(in: 0..<hosts.count, using: &generator)
        let cost = request.isDelivery ? plan.deliverySeconds : plan.readSeconds
        switch hosts[host].take(at: time, for: cost) {
        case .turnedAway:
            tally.report.closed += 1
            let seconds = hosts[host].returnSeconds(random: random(below: 1), now: time)
            answer(.reply(Self.tooMuch(seconds, at: time)), after: plan.roundTripSeconds)
        case .answered(let end):
            // A minute that is full passes the rest to the next one.
            busyPerMinute[host * 100_000 + Int((end - cost) / 60), default: 0] += cost
            let wait = end - time + plan.roundTripSeconds
            // The host has the test, though its device does not hear it: it is delivered when it is sent again.
            guard wait <= plan.patienceSeconds else {
                tally.report.tooLate += 1
                return answer(
                    .failure(RemoteFailure(.interrupted, "the time ran out")), after: plan.patienceSeconds)
            }
            guard case .delivery(let test) = request else { return answer(.answered, after: wait) }
            note(test, deliveredAt: time + wait)
            answer(.delivered(isRated: random(below: 1) >= plan.checkedPart), after: wait)
        }
    }

    /// What a host says that has no place for a connection.
    private static func tooMuch(_ seconds: Int, at time: Double) -> RemoteReply {
        let now = Timestamp(millisecondsSinceEpoch: Int64((time * 1000).rounded()))
        return RemoteReply(
            status: 503, fields: [.retryAfter: "\(seconds)"], body: [], requestTime: now, responseTime: now)
    }

    private mutating func note(_ test: TestID, deliveredAt time: Double) {
        guard let end = finished.removeValue(forKey: test) else { return }
        tally.noteDelivery(at: time, finishedAt: end)
    }

    private func result() -> LoadReport {
        var report = tally.finished()
        report.busiestMinute = min(1, (busyPerMinute.values.max() ?? 0) / 60)
        report.mostConnections = hosts.map(\.mostWaiting).max() ?? 0
        return report
    }
}
