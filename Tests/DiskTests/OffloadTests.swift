import Foundation
import Synchronization
import Testing

@testable import Disk

@Suite("Blocking work") struct OffloadTests {
    private final class Meeting: Sendable {
        let here = Mutex(0)
        let done = Mutex(0)
    }

    private final class Running: Sendable {
        let count = Mutex((now: 0, most: 0))
    }

    @Test("as many as are allowed run at once, whatever the number of cores; others wait, and all are done")
    func together() async throws {
        let threads = BlockingThreads(most: 40)
        let meeting = Meeting()
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                        threads.run {
                            let place = meeting.here.withLock { here in
                                here += 1
                                return here
                            }
                            // Each of the first 40 blocks its thread until all of them are there.
                            while place <= 40, meeting.here.withLock({ $0 }) < 40 { sched_yield() }
                            meeting.done.withLock { $0 += 1 }
                            continuation.resume()
                        }
                    }
                }
            }
        }
        #expect(meeting.done.withLock { $0 } == 100)
    }

    @Test("no more than are allowed run at once")
    func bounded() async {
        let threads = BlockingThreads(most: 3)
        let running = Running()
        let limit = ContinuousClock.now + .seconds(120)
        await withTaskGroup { group in
            for _ in 0..<60 {
                group.addTask {
                    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                        threads.run {
                            running.count.withLock { count in
                                count.now += 1
                                count.most = max(count.most, count.now)
                            }
                            // The first ones wait for each other.
                            while running.count.withLock({ $0.most < 3 }), ContinuousClock.now < limit { sched_yield() }
                            for _ in 0..<50 { sched_yield() }
                            running.count.withLock { $0.now -= 1 }
                            continuation.resume()
                        }
                    }
                }
            }
        }
        #expect(running.count.withLock { $0.most } == 3)
    }

    @Test("while work waits for a network, other work runs in its place")
    func waiting() async {
        let threads = BlockingThreads(most: 1)
        let meeting = Meeting()
        await withTaskGroup { group in
            for _ in 0..<40 {
                group.addTask {
                    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                        threads.run {
                            // Each waits until all are there.
                            meeting.here.withLock { $0 += 1 }
                            threads.waiting { while meeting.here.withLock({ $0 }) < 40 { sched_yield() } }
                            meeting.done.withLock { $0 += 1 }
                            continuation.resume()
                        }
                    }
                }
            }
        }
        #expect(meeting.done.withLock { $0 } == 40)
    }

    @Test("what work returns or throws comes back")
    func outcome() async throws {
        struct Failure: Error {}
        #expect(try await offload { 7 } == 7)
        await #expect(throws: Failure.self) { try await offload { throw Failure() } }
    }
}
