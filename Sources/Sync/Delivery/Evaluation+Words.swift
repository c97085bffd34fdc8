import Model

extension Evaluation {
    /// `8 of 10`, as the log has it.
    package var summary: String { summary(.english) }

    package func summary(_ language: Language) -> String {
        func plain(_ value: Double) -> String {
            value == value.rounded() && abs(value) < 1e9 ? String(Int(value)) : String(value)
        }
        return "\(plain(score)) \(language.text("of")) \(plain(maximum))"
    }
}
