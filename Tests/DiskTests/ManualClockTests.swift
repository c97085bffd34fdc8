import Model
import Simulation
import Testing

@Suite("A manual clock stands still until it is advanced")
struct ManualClockTests {
    @Test("sleepers wake when their time has come, the earliest first")
    func sleepersWake() async throws {
        let clock = ManualClock()
        let order = Order()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [30, 10, 20] {
                group.addTask {
                    try await clock.sleep(for: .seconds(seconds))
                    await order.note(seconds)
                }
            }
            await clock.waitForSleepers(3)
            clock.advance(by: .seconds(9))
            #expect(clock.sleeperCount == 3)
            clock.advance(by: .seconds(1))
            #expect(clock.sleeperCount == 2)
            try await group.next()
            #expect(await order.seconds == [10])
            clock.advance(by: .seconds(100))
            try await group.waitForAll()
        }
        #expect(Set(await order.seconds) == [10, 20, 30])
        #expect(clock.sleeperCount == 0)
    }

    @Test("wall time passes with the clock, to the millisecond, and may be set apart from it")
    func wallTime() async throws {
        let clock = ManualClock(now: Timestamp(secondsSinceEpoch: 100))
        clock.advance(by: .milliseconds(1500))
        #expect(clock.now == Timestamp(millisecondsSinceEpoch: 101_500))
        async let nap: Void = clock.sleep(for: .seconds(1))
        await clock.waitForSleepers(1)
        clock.setWallTime(.epoch)
        #expect(clock.now == .epoch)
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await nap
        #expect(clock.now == Timestamp(secondsSinceEpoch: 1))
    }

    @Test("the clock starts at the date of its documentation")
    func start() {
        #expect(ManualClock.start.description == "2026-11-21T04:51:00.000Z")
    }

    @Test("a cancelled sleeper wakes with an error, before or after it lay down")
    func cancellation() async {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(10)) }
        await clock.waitForSleepers(1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
        let never = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(10))
        }
        await #expect(throws: CancellationError.self) { try await never.value }
    }

    @Test("a sleep of no time returns at once")
    func noTime() async throws {
        try await ManualClock().sleep(for: .zero)
        try await ManualClock().sleep(for: .seconds(-1))
    }

    private actor Order {
        private(set) var seconds: [Int] = []
        func note(_ value: Int) { seconds.append(value) }
    }
}
