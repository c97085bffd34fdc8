// Which rows of the content are visible.

extension TakeScreen {
    /// Scrolls as little as shows where the person is.
    mutating func reveal() {
        // The top of the list is shown with the lines above it.
        change { $0.reveal(fromStart: $1) }
    }

    private mutating func change<Result>(_ change: (inout Viewport, _ isAtTop: Bool) -> Result) -> Result {
        var viewport = layout.viewport
        defer { scroll = viewport.top }
        return change(&viewport, place == .review && reviewRow == 0)
    }

    /// Makes a change that may move the rows; the person's position stays visible.
    mutating func keepingFocus(_ change: (inout TakeScreen) -> Void) {
        let wasVisible = layout.viewport.focusIsVisible
        change(&self)
        if wasVisible { reveal() } else { scroll = min(scroll, layout.viewport.lastTop) }
    }

    /// Scrolls a little in the direction of a key, if the person's position is in that direction and not visible yet:
    /// everything can be read on the way.
    ///
    /// - Returns: `false` when the key is to move the person instead.
    mutating func readOn(down: Bool) -> Bool {
        let viewport = layout.viewport
        guard !viewport.focusIsVisible else { return false }
        let isBelow = viewport.focus.upperBound > viewport.top + viewport.height
        if !isBelow {
            reveal()
            return !down
        }
        if down { reveal() }
        scroll = down ? min(scroll, viewport.top + viewport.step) : max(0, viewport.top - viewport.step)
        return true
    }

    /// Scrolls by a few rows.
    mutating func scrollOn(down: Bool) { _ = change { view, _ in view.scroll(by: down ? view.step : -view.step) } }

    /// Scrolls by as many rows as are visible, but for one.
    ///
    /// - Returns: `false` when there is nothing further.
    mutating func scrollPage(down: Bool) -> Bool {
        change { view, _ in view.scroll(by: down ? view.height - 1 : 1 - view.height) }
    }
}
