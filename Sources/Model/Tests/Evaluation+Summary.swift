extension Evaluation {
    /// `8 of 10`, as the log has it.
    package var summary: String { summary(between: "of") }

    /// Score and maximum with a word between them.
    package func summary(between word: String) -> String {
        func plain(_ value: Double) -> String {
            value == value.rounded() && abs(value) < 1e9 ? String(Int(value)) : String(value)
        }
        return "\(plain(score)) \(word) \(plain(maximum))"
    }
}
