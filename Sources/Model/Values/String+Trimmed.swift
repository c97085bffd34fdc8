extension StringProtocol where SubSequence == Substring {
    /// The text without the white space around it.
    package var trimmed: String {
        let start = drop(while: \.isWhitespace)
        let count = start.reversed().prefix(while: \.isWhitespace).count
        return String(start.dropLast(count))
    }
}
