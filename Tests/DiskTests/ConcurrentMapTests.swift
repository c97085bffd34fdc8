import Disk
import Dispatch
import Synchronization
import Testing

@Suite("Work on many elements by all cores")
struct ConcurrentMapTests {
    @Test("what comes out is in the order of what went in", arguments: [0, 1, 64, 65, 1000])
    func order(count: Int) throws {
        #expect(try Array(0..<count).concurrentMap { $0 * 3 } == (0..<count).map { $0 * 3 })
    }

    @Test("a failure is thrown, and the rest is left", arguments: [10, 1_000_000])
    func failure(count: Int) throws {
        struct Fault: Error {}
        let failing = DispatchGroup()
        failing.enter()
        let done = Mutex(0)
        #expect(throws: Fault.self) {
            _ = try Array(0..<count).concurrentMap { number in
                if number == 5 {
                    failing.leave()
                    throw Fault()
                }
                // The others go on when it fails.
                if number > 5 { failing.wait() }
                done.withLock { $0 += 1 }
            }
        }
        #expect(done.withLock { $0 } <= max(5, count / 2))
    }
}
