/// How many of a person's attempts at a questionnaire are used.
enum UsedAttempts {
    /// No one can use up the attempts of a person who proves themselves.
    ///
    /// - Parameters:
    ///   - tests: those that name the person.
    ///   - isProven: whether a key of the person comes with the next one.
    static func count(_ tests: [TestSummary], isProven: Bool) -> Int {
        tests.count { $0.verified == true || !isProven }
    }
}
