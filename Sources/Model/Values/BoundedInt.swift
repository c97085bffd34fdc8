extension Int {
    /// A number in an address or a form. One beyond a billion is none: no list is as long, and the next one to it must exist.
    package init?(place text: some StringProtocol) {
        guard let number = Int(text), (-1_000_000_000...1_000_000_000).contains(number) else { return nil }
        self = number
    }

    /// The whole number next to a value; of one that no `Int` holds, the least or the greatest, and 0 of what is no number.
    package init(bounded value: Double) {
        self = value.isNaN ? 0 : Int(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
    }
}
