extension Int {
    /// The whole number next to a value; of one that no `Int` holds, the least or the greatest, and 0 of what is no number.
    package init(bounded value: Double) {
        self = value.isNaN ? 0 : Int(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
    }
}
