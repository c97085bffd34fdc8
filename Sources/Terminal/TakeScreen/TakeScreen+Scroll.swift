import Model

// Which rows of the content are visible.

extension TakeScreen {
    /// The width of the input, without the bar on its left and with room for the cursor after it.
    var fieldWidth: Int { max(2, size.textWidth - 3) }

    var fieldLayout: TextLayout { field.layout(width: fieldWidth) }

    /// Rows of all that can be scrolled.
    var contentHeight: Int {
        switch place {
        case .review: reviewStart + visible.count + reviewTitles.count + 2
        case .question:
            // A title above the field.
            (isWriting
                ? content.head.count + 1 + fieldLayout.rows.count
                : (content.optionRanges.last?.upperBound ?? content.head.count) + ownLines.count) + content.tail.count
        }
    }

    /// Rows above the list of the review.
    var reviewStart: Int { 2 }

    /// The rows of the content on which the person is.
    var focusRows: Range<Int> {
        switch place {
        case .review:
            let row = reviewRow(highlight, reviewTitles)
            return row..<row + 1
        case .question:
            if isWriting {
                let row = content.head.count + 1 + fieldLayout.position(of: field.cursor).row
                return row..<row + 1
            }
            return content.optionRanges.indices.contains(highlight) ? content.optionRanges[highlight] : 0..<0
        }
    }

    var viewHeight: Int { max(1, size.rows - headerLines.count - footerLines.count) }

    var lastScroll: Int { max(0, contentHeight - viewHeight) }

    var focusIsVisible: Bool {
        let rows = focusRows
        let view = scroll..<scroll + viewHeight
        return view.contains(rows.lowerBound) && (rows.upperBound <= view.upperBound || rows.count > view.count)
    }

    /// Scrolls as little as shows where the person is.
    mutating func reveal() {
        let rows = focusRows
        let height = viewHeight
        if rows.upperBound > scroll + height { scroll = rows.upperBound - height }
        if rows.lowerBound < scroll { scroll = rows.lowerBound }
        // The top of the list is shown with the lines above it, if they fit.
        if place == .review, highlight == 0, rows.upperBound <= height { scroll = 0 }
        scroll = min(max(0, scroll), lastScroll)
    }

    /// Makes a change that may move the rows; the person's position stays visible.
    mutating func keepingFocus(_ change: (inout TakeScreen) -> Void) {
        let wasVisible = focusIsVisible
        change(&self)
        if wasVisible { reveal() } else { scroll = min(scroll, lastScroll) }
    }

    /// Scrolls a little in the direction of a key, if the person's position is in that direction and not visible yet:
    /// everything can be read on the way.
    ///
    /// - Returns: `false` when the key is to move the person instead.
    mutating func readOn(down: Bool) -> Bool {
        guard !focusIsVisible else { return false }
        let isBelow = focusRows.upperBound > scroll + viewHeight
        if !isBelow {
            reveal()
            return !down
        }
        let before = scroll
        if down { reveal() }
        scroll = down ? min(scroll, before + scrollStep) : max(0, before - scrollStep)
        return true
    }

    var scrollStep: Int { max(1, min(3, viewHeight - 1)) }

    /// - Returns: `false` when there is nothing further.
    mutating func scroll(by rows: Int) -> Bool {
        let wanted = min(max(0, scroll + rows), lastScroll)
        defer { scroll = wanted }
        return wanted != scroll
    }
}
