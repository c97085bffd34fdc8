/// A row of the screen: words and how they look.
struct Line: Hashable, Sendable {
    enum Style: Hashable, Sendable {
        case plain
        case strong
        case emphasis
        case code
        case link
        case faint
        /// Where the person is.
        case focused
        case error
        case good
        case warning
    }

    struct Span: Hashable, Sendable {
        var text: String
        var style: Style

        init(_ text: String, _ style: Style = .plain) {
            self.text = text
            self.style = style
        }
    }

    var spans: [Span]

    init(_ spans: [Span] = []) { self.spans = spans }

    init(_ text: String, _ style: Style = .plain) { spans = [Span(text, style)] }

    /// One part at the left edge, another at the right one; the left part is clipped where there is no room for both.
    init(_ left: Span, right: [Span], width: Int) {
        let rightWidth = right.reduce(0) { $0 + displayWidth($1.text) }
        guard rightWidth > 0, width - rightWidth >= 12 else {
            self.init(clip(left.text, width: width), left.style)
            return
        }
        let shown = clip(left.text, width: width - rightWidth - 2)
        let gap = width - rightWidth - displayWidth(shown)
        self.init([Span(shown, left.style), Span(String(repeating: " ", count: gap))] + right)
    }

    var text: String { spans.map(\.text).joined() }

    func indented(by columns: Int) -> Line {
        columns > 0 && !spans.isEmpty ? Line([Span(String(repeating: " ", count: columns))] + spans) : self
    }
}

/// The content of the terminal, and the position of its cursor.
struct Frame: Hashable, Sendable {
    var lines: [Line]
    /// Counted from 0.
    var cursorRow: Int
    var cursorColumn: Int
    var showsCursor: Bool
}
