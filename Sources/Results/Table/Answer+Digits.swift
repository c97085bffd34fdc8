import Model

extension Answer {
    /// The number that was given, with all of its digits and a decimal point: a step of a scale, or the answer to a question for a
    /// number, which devices store as a text. `nil` for anything else.
    func digits(of question: Question) -> String? {
        switch value {
        case .number(let number): Int64(exactly: number).map { String($0) } ?? String(number)
        case .one(let text) where question.input == .decimal: WrittenNumber(text).plain
        default: nil
        }
    }
}
