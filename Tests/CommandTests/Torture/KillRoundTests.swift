import Testing

/// “Never lose an answer”: acknowledged is present, and each is once on the host.
@Suite("Rounds of kill -9 with three writers and a sweeper", .serialized)
struct KillRoundTests {
    @Test(
        "what was acknowledged is there, each test once on the host with the very bytes, and no half file is left",
        arguments: [false, true])
    func rounds(_ hasHub: Bool) throws {
        let seed = Torture.seed
        let rounds = try KillRounds(seed: seed, hasHub: hasHub)
        for _ in 0..<(hasHub ? max(Torture.rounds / 5, 12) : Torture.rounds) { try rounds.round() }
        try rounds.settle()
        let counts = rounds.counts
        #expect(counts.kills >= counts.rounds && counts.finished + counts.drafts >= counts.rounds / 4)
        Torture.report(
            """
            \(counts.rounds) rounds, \(counts.commands) processes, \(counts.kills) killed with kill -9, the host \
            \(counts.hostKills) times, the hub \(counts.hubKills), the page \(counts.pageKills); acknowledged: \(counts.finished) finished tests, \(counts.drafts) drafts, \
            \(counts.answers) answers; present: all of them; on the host: \(counts.onHost), each once, \(counts.untold) \
            of them finished by a process that was killed before it could report. \
            Again: make torture ROUNDS=\(counts.rounds) SEED=\(seed)
            """)
    }
}
