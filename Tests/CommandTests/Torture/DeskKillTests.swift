import Testing

@Suite("Rounds of kill -9 at the desk", .serialized)
struct DeskKillTests {
    @Test("no acknowledged draft, mark, rating or saved comment is lost, and none is there twice")
    func rounds() throws {
        let seed = Torture.seed
        let rounds = try DeskKillRounds(seed: seed)
        for _ in 0..<(Torture.isWhole ? Torture.rounds : 4) { try rounds.round() }
        let counts = rounds.counts
        Torture.report(
            """
            \(counts.rounds) rounds at the desk, the host killed in each; acknowledged: \(counts.saved) drafts, \
            \(counts.published) published, \(counts.marked) marks, \(counts.rated) ratings by a corrected key, \(counts.comments) saved comments; \
            \(counts.cut) requests without an answer. Again: make torture ROUNDS=\(counts.rounds) SEED=\(seed)
            """)
    }
}
