import Host
import Model

/// A saved comment on one line of a list.
struct SavedCommentWords {
    let context: DeskContext

    private static let longestLine = 90

    func line(_ comment: SavedComment) -> String {
        let words = comment.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let text = words.count > Self.longestLine ? words.prefix(Self.longestLine) + "…" : words
        guard let points = comment.points else { return text }
        return (points < 0 ? "" : "+") + context.number(points) + " · " + text
    }
}
