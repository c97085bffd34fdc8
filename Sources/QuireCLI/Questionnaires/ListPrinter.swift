import Model
import Quire
import Terminal

/// Writes the lines of a list as they come.
struct ListPrinter {
    private var pieces: OutputPieces
    private var line: [UInt8] = []
    private var count = 0

    init(_ option: PagerOption) { pieces = OutputPieces(pages: !option.noPager) }

    mutating func add(_ item: ListedQuestionnaire) {
        count += 1
        line.removeAll(keepingCapacity: true)
        if Output.traits.isTerminal {
            line += Self.pretty(item).utf8
        } else {
            // One line each, fields apart by tabs: for cut and sort.
            append(item.id, endingWith: "\t")
            append(item.title, endingWith: "\t")
            append(String(item.questionCount), endingWith: "\t")
            append(item.state.name, endingWith: "\t")
            if item.isFavorite { line += "favorite".utf8 }
            if item.hasDraft { line += (item.isFavorite ? ",draft" : "draft").utf8 }
        }
        line.append(UInt8(ascii: "\n"))
        pieces.add(line)
    }

    /// - Returns: how many lines there were.
    mutating func finish() -> Int {
        pieces.finish()
        return count
    }

    private mutating func append(_ field: String, endingWith end: Unicode.Scalar) {
        if isPlainlySafe(field) {
            line += field.utf8
        } else {
            line += terminalSafe(field).map { $0.isNewline || $0 == "\t" ? " " : String($0) }.joined().utf8
        }
        line.append(UInt8(ascii: end))
    }

    private static func pretty(_ item: ListedQuestionnaire) -> String {
        let language = Output.language
        var notes = [
            language.plural(
                item.questionCount, one: "1 question", other: "\(item.questionCount) questions", context: "list"),
            item.state.words(language),
        ]
        if item.hasDraft { notes.append(language.text("draft")) }
        if item.isPinned { notes.append(language.text("pinned")) }
        let tail = notes.joined(separator: " · ")
        let width = max(40, Output.traits.columns)
        let mark = item.isFavorite ? (Output.traits.isPlain ? "* " : "★ ") : "  "
        if width < 100 {
            return mark + Output.styled(clip(terminalSafe(item.title), width: width - 3), .bold) + "\n    "
                + Output.styled(clip(terminalSafe(item.id + " · " + tail), width: width - 5), .dim)
        }
        let id = padded(item.id, to: 24)
        let title = padded(item.title, to: max(10, width - 24 - displayWidth(tail) - 6))
        return mark + id + " " + Output.styled(title, .bold) + "  " + Output.styled(tail, .dim)
    }

    private static func padded(_ text: String, to width: Int) -> String {
        let clipped = clip(terminalSafe(text), width: width)
        return clipped + String(repeating: " ", count: max(0, width - displayWidth(clipped)))
    }
}
