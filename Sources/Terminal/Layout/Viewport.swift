/// The rows of the content that are visible, and how they follow the person.
struct Viewport: Hashable, Sendable {
    /// Rows of the content above the first visible one.
    var top: Int
    /// Rows that are visible at once.
    let height: Int
    let contentHeight: Int
    /// The rows on which the person is.
    let focus: Range<Int>

    var lastTop: Int { max(0, contentHeight - height) }

    var focusIsVisible: Bool {
        let view = top..<top + height
        return view.contains(focus.lowerBound) && (focus.upperBound <= view.upperBound || focus.count > view.count)
    }

    /// Scrolls as little as shows where the person is.
    ///
    /// - Parameter fromStart: the lines above are shown with it, if they fit.
    mutating func reveal(fromStart: Bool) {
        if focus.upperBound > top + height { top = focus.upperBound - height }
        if focus.lowerBound < top { top = focus.lowerBound }
        if fromStart, focus.upperBound <= height { top = 0 }
        top = min(max(0, top), lastTop)
    }

    /// A few rows: as many as a key scrolls.
    var step: Int { max(1, min(3, height - 1)) }

    /// - Returns: `false` when there is nothing further.
    mutating func scroll(by rows: Int) -> Bool {
        let wanted = min(max(0, top + rows), lastTop)
        defer { top = wanted }
        return wanted != top
    }
}
