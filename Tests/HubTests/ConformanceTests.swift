import Testing

/// RFC 9110, 9111, 5861, 8246, 9211 and 9213 over real sockets: each row of the tables is one rule.
@Suite("The hub as an HTTP cache, rule by rule")
struct ConformanceTests {
    @Test(
        "rules of the RFCs",
        arguments: [
            RuleTable(testDescription: "how long an answer is fresh", cases: FreshnessRules.all),
            RuleTable(testDescription: "what is kept", cases: StorageRules.all),
            RuleTable(testDescription: "what a client asks", cases: RequestRules.all),
            RuleTable(testDescription: "what is asked again", cases: ValidationRules.all),
        ])
    func rules(_ table: RuleTable) async throws {
        for fault in try await RuleFixture.faults(of: table.cases) { Issue.record("\(fault)") }
    }

    @Test("the tables are whole: no rule is named twice")
    func names() {
        let tables = [FreshnessRules.all, StorageRules.all, RequestRules.all, ValidationRules.all]
        var seen: Set<String> = []
        let twice = tables.flatMap { $0 }.map(\.name).filter { !seen.insert($0).inserted }
        #expect(twice == [])
        #expect(seen.count >= 400)
    }
}
