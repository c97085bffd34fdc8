/// Fills lines of a width with words of several styles.
struct LineFiller {
    let width: Int
    /// How many columns a character needs.
    let columns: (Character) -> Int
    private(set) var lines: [TerminalLine] = []
    private var line = TerminalLine()
    private var used = 0
    /// Pieces of the word that is not on a line yet, and the space before it.
    private var word: [TerminalLine.Run] = []
    private var wordWidth = 0
    private var space: TerminalLine.Run?

    init(width: Int, columns: @escaping (Character) -> Int) {
        self.width = max(1, width)
        self.columns = columns
    }

    /// Adds text: its white space separates words, no-break space does not.
    ///
    /// - Parameter isUnbroken: no space of it does.
    mutating func add(_ text: String, _ style: TerminalLine.Style, isUnbroken: Bool = false) {
        var piece = ""
        for character in text {
            if !isUnbroken, character.isWhitespace, character != "\u{A0}", character != "\u{202F}" {
                push(&piece, style)
                endWord()
                space = TerminalLine.Run(text: " ", style: style)
            } else {
                piece.append(character)
            }
        }
        push(&piece, style)
    }

    /// Adds text whose spaces are kept.
    mutating func addExactly(_ text: String, _ style: TerminalLine.Style) {
        endWord()
        if let space, used > 0 { put(space.text, space.style) }
        space = nil
        for character in text { put(String(character), style) }
    }

    mutating func breakLine() {
        endWord()
        space = nil
        lines.append(line)
        line = TerminalLine()
        used = 0
    }

    mutating func finish() -> [TerminalLine] {
        endWord()
        if !line.runs.isEmpty || lines.isEmpty { breakLine() }
        return lines
    }

    private mutating func push(_ piece: inout String, _ style: TerminalLine.Style) {
        guard !piece.isEmpty else { return }
        word.append(TerminalLine.Run(text: piece, style: style))
        wordWidth += piece.reduce(0) { $0 + columns($1) }
        piece = ""
    }

    private mutating func endWord() {
        guard !word.isEmpty else { return }
        let gap = space != nil && used > 0 ? 1 : 0
        if used > 0, used + gap + wordWidth > width {
            lines.append(line)
            line = TerminalLine()
            used = 0
        } else if gap > 0, let space {
            put(space.text, space.style)
        }
        space = nil
        for run in word { for character in run.text { put(String(character), run.style) } }
        word = []
        wordWidth = 0
    }

    /// Puts a character on the line, or on the next one where it does not fit.
    private mutating func put(_ text: String, _ style: TerminalLine.Style) {
        let needed = text.reduce(0) { $0 + columns($1) }
        if used > 0, used + needed > width {
            lines.append(line)
            line = TerminalLine()
            used = 0
        }
        line.append(text, style)
        used += needed
    }
}
