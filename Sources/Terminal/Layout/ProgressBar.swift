/// A bar that shows how much of something is done, as text.
///
///     ProgressBar(done: 3, total: 20).text(width: 20)  // "━━━─────────────────"
package struct ProgressBar: Hashable, Sendable {
    package var done: Int
    package var total: Int
    /// Only ASCII, for terminals and locales without the line-drawing characters.
    package var isPlain: Bool

    package init(done: Int, total: Int, isPlain: Bool = false) {
        self.done = done
        self.total = total
        self.isPlain = isPlain
    }

    /// The bar alone, exactly `width` columns.
    package func text(width: Int) -> String {
        let filled = filledColumns(of: width)
        return String(repeating: isPlain ? "#" : "━", count: filled)
            + String(repeating: isPlain ? "-" : "─", count: max(0, width - filled))
    }

    /// The bar between a label and the following text, in at most `width` columns; parts that do not fit are omitted,
    /// the bar first.
    ///
    ///     ProgressBar(done: 12, total: 270).line("Pulling", "12 of 270", width: 60)
    package func line(_ label: String, _ amount: String, width: Int) -> String {
        let room = width - displayWidth(label) - displayWidth(amount) - 2
        guard room >= 8 else { return clip(label + " " + amount, width: width) }
        return label + " " + text(width: min(room, 40)) + " " + amount
    }

    /// Any progress shows, and only a finished one is full.
    func filledColumns(of width: Int) -> Int {
        guard total > 0, done > 0, width > 0 else { return 0 }
        if done >= total { return width }
        let share = Int(Double(width) * Double(done) / Double(total))
        return min(max(1, share), max(1, width - 1))
    }
}
