import Model
import Simulation
import Sync
import Testing

@Suite("When a program that watches syncs")
struct WatchDecisionTests {
    private let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    private func situation(_ change: (inout WatchDecision.Situation) -> Void = { _ in }) -> WatchDecision.Situation {
        var situation = WatchDecision.Situation(now: now)
        change(&situation)
        return situation
    }

    private func round(
        ended: Double, failures: Int = 0, attempted: Set<TestID> = [], jitter: Double = 0.5
    ) -> WatchDecision.Round {
        .init(ended: now.adding(seconds: ended), attempted: attempted, failures: failures, jitter: jitter)
    }

    @Test("with nothing waiting it sleeps without an end, whatever else is so")
    func nothing() {
        for isAway in [true, false] {
            for last in [nil, round(ended: -10_000, failures: 5)] {
                let decision = WatchDecision.decide(
                    situation {
                        ($0.isAway, $0.lastRound) = (isAway, last)
                        $0.contactSince = now
                    })
                #expect(decision == .wait(until: nil))
            }
        }
    }

    @Test("a test that is due goes at once, one that is not due goes when its time has come")
    func due() {
        let id = TestID.random()
        #expect(WatchDecision.decide(situation { $0.waiting = [id: now] }) == .round)
        let later = now.adding(seconds: 90)
        #expect(WatchDecision.decide(situation { $0.waiting = [id: later] }) == .wait(until: later))
        // One timer for the earliest.
        let others = [id: later, TestID.random(): later.adding(seconds: 1)]
        #expect(WatchDecision.decide(situation { $0.waiting = others }) == .wait(until: later))
        // A new one does not wait for the pause of those that failed.
        let failed = round(ended: -1, failures: 9, attempted: [id])
        #expect(
            WatchDecision.decide(
                situation { ($0.waiting, $0.lastRound) = ([id: now, .random(): now], failed) }) == .round)
    }

    @Test(
        "after a failure it waits for a random time, longer and longer, up to the interval; a network that appears ends it"
    )
    func failures() {
        let id = TestID.random()
        for failures in 0...12 {
            let longest = failures == 0 ? 4 : min(60 * Double(1 << (failures - 1)), 1200)
            for jitter in [0.0, 0.5, 0.999] {
                let last = round(ended: 0, failures: failures, attempted: [id], jitter: jitter)
                let tried = situation { ($0.waiting, $0.lastRound) = ([id: now], last) }
                guard case .wait(let moment?) = WatchDecision.decide(tried) else {
                    Issue.record("\(failures)")
                    return
                }
                #expect(
                    abs(moment.seconds(since: now) - (1 + (longest - 1) * jitter)) < 0.002, "\(failures), \(jitter)")
            }
            var appeared = situation {
                ($0.waiting, $0.lastRound) = (
                    [id: now], round(ended: 0, failures: failures, attempted: [id], jitter: 0.999)
                )
            }
            appeared.contactSince = now
            #expect(WatchDecision.decide(appeared) == .wait(until: now.adding(seconds: 1)))
            appeared.now = now.adding(seconds: 1)
            #expect(WatchDecision.decide(appeared) == .round)
        }
    }

    @Test("the first contact, after the start and when a network has come, is spread over some seconds")
    func firstContact() {
        for jitter in [0.0, 0.4, 0.999] {
            let spread = jitter * WatchDecision.contactSpreadSeconds
            var started = situation {
                ($0.waiting, $0.pulls, $0.contactSince, $0.contactJitter) = ([.random(): now], true, now, jitter)
            }
            let expected = now.adding(seconds: spread)
            #expect(WatchDecision.decide(started) == (jitter == 0 ? .round : .wait(until: expected)))
            started.now = expected
            #expect(WatchDecision.decide(started) == .round)
            // The clock was put back meanwhile.
            started.now = now.adding(seconds: -3600)
            started.waiting = started.waiting.mapValues { _ in started.now }
            #expect(WatchDecision.decide(started) == .round)
            // The last round was long ago, and what it tried has been waiting for a network.
            let id = TestID.random()
            let back = situation {
                ($0.waiting, $0.contactSince, $0.contactJitter) = ([id: now], now, jitter)
                $0.lastRound = round(ended: -600, failures: 9, attempted: [id], jitter: 0.999)
            }
            #expect(WatchDecision.decide(back) == (jitter == 0 ? .round : .wait(until: expected)))
        }
    }

    @Test("quiet hours and a metered way hold everything back, and say until when")
    func held() {
        let waiting = [TestID.random(): now]
        #expect(
            WatchDecision.decide(
                situation { ($0.waiting, $0.quietSeconds) = (waiting, 600) }) == .wait(until: now.adding(seconds: 600)))
        #expect(
            WatchDecision.decide(situation { ($0.waiting, $0.isMetered) = (waiting, true) }) == .wait(until: nil))
        #expect(
            WatchDecision.decide(situation { ($0.waiting, $0.isAway) = (waiting, true) })
                == .wait(until: now.adding(seconds: WatchDecision.standardIntervalSeconds)))
    }

    @Test("what is still to be rated is asked after once in an interval")
    func news() {
        let asked = situation { ($0.awaitsNews, $0.lastRound) = (true, round(ended: 0)) }
        #expect(WatchDecision.decide(asked) == .wait(until: now.adding(seconds: 1200)))
        #expect(WatchDecision.decide(situation { $0.pulls = true }) == .round)
    }

    @Test(
        "whatever happens in a day, it neither spins nor sleeps over something that is due",
        arguments: 1...200 as ClosedRange<UInt64>)
    func generated(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }
        var state = situation()
        var rounds = 0
        var arrivals = 0
        var networks = 0
        var steps = 0
        let end = now.adding(seconds: 86_400)
        while state.now < end {
            steps += 1
            // Something happens now and then.
            if chance(40) {
                state.waiting[.random(using: &generator)] = chance(3) ? state.now.adding(seconds: 500) : state.now
                arrivals += 1
            }
            if chance(50) { state.isAway.toggle() }
            if chance(60) {
                (state.contactSince, state.contactJitter) = (state.now, Double.random(in: 0..<1, using: &generator))
                networks += 1
            }
            if chance(80) { state.isMetered.toggle() }
            state.quietSeconds = chance(100) ? 3000 : 0
            let blocked = state.isAway || state.isMetered || state.quietSeconds > 0
            let due = Set(state.waiting.filter { $0.value <= state.now }.keys)
            switch WatchDecision.decide(state) {
            case .round:
                #expect(!blocked && (!state.waiting.isEmpty || state.awaitsNews))
                rounds += 1
                let fails = chance(2)
                for id in due where !fails || chance(3) {
                    state.waiting[id] = nil
                    state.awaitsNews = !chance(4)
                }
                state.lastRound = .init(
                    ended: state.now.adding(seconds: 0.2), attempted: due,
                    failures: fails ? (state.lastRound?.failures ?? 0) + 1 : 0,
                    jitter: Double.random(in: 0..<1, using: &generator))
                state.contactSince = nil
                state.now = state.now.adding(seconds: 0.2)
            case .wait(let moment):
                if let moment {
                    #expect(moment > state.now)
                    // Nothing is slept over for longer than the longest pause.
                    #expect(moment.seconds(since: state.now) <= 86_400)
                } else {
                    #expect(blocked || state.waiting.isEmpty && !state.awaitsNews)
                }
                if !blocked, let last = state.lastRound { #expect(due.isSubset(of: last.attempted)) }
                if !blocked, let earliest = state.waiting.values.filter({ $0 > state.now }).min(), let moment {
                    #expect(moment <= earliest)
                }
                let gap = Double.random(in: 1...900, using: &generator)
                let wake = moment.map { min($0, state.now.adding(seconds: gap)) } ?? state.now.adding(seconds: gap)
                state.now = max(wake, state.now.adding(seconds: 0.001))
            }
        }
        // A round for each thing that came, one for each network, and those of the pauses.
        #expect(rounds <= 3 * arrivals + networks + 86_400 / 20, "\(rounds) rounds in a day")
        #expect(steps < 100_000)
    }

    @Test(
        "quiet hours may go over midnight",
        arguments: [
            ("22:00-07:00", 1320, 540), ("22:00-07:00", 0, 420), ("22:00-07:00", 420, 0), ("22:00-07:00", 1319, 0),
            ("08:00-09:30", 500, 70), ("00:00-00:00", 5, 1435),
        ])
    func quiet(_ text: String, _ minute: Int, _ rest: Int) {
        #expect(QuietHours(text)?.rest(atMinute: minute) == rest)
        #expect(QuietHours(text)?.description == text)
    }

    @Test(
        "what is no span of the day is refused",
        arguments: ["", "22-7", "22:00", "24:00-07:00", "22:60-07:00", "22:00-07:00-08:00", "2:00-7:00", "+2:00-07:00"])
    func noHours(_ text: String) { #expect(QuietHours(text) == nil) }
}
