import Testing

@Suite("Weeks of two devices and a host over a bad network", .serialized)
struct SocketWeekTests {
    @Test("both devices and the host agree in the end: nothing lost, nothing doubled, conflicts as they were set")
    func weeks() throws {
        var (tests, connections, troubled) = (0, 0, 0)
        for round in 0..<Torture.weeks {
            let seed = Torture.seed &+ UInt64(round)
            let week = try SocketWeek(seed: seed)
            do {
                for number in 1...40 { try week.act(number) }
                try week.settle()
                try week.check()
            } catch {
                Issue.record("SEED=\(seed): \(error)")
            }
            tests += week.tests.count
            let counts = week.counts
            connections += counts.connections
            troubled += counts.refused + counts.torn + counts.lost + counts.saidTwice
        }
        Torture.report(
            """
            \(Torture.weeks) weeks, \(tests) tests, each once on the host; \(connections) connections, \(troubled) of them \
            refused, torn, cut off or said twice. Again: make torture WEEKS=\(Torture.weeks) SEED=\(Torture.seed)
            """)
    }
}
