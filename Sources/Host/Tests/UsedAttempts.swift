import Model

/// How many of a person's attempts at a questionnaire are used.
enum UsedAttempts {
    /// No one can use up the attempts of a person who proves themselves.
    ///
    /// - Parameters:
    ///   - tests: those that name the person.
    ///   - isProven: whether a key of the person comes with the next one.
    ///   - proven: those of the tests that are known to have come with one.
    static func count(_ tests: [TestSummary], isProven: Bool, proven: Set<TestID> = []) -> Int {
        tests.count { $0.verified == true || !isProven || proven.contains($0.id) }
    }
}
