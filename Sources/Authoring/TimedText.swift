import Disk
import Model

/// A text with a time in it, for the template `timed`: the host's clock says it, and the script shows it by the reader's.
package enum TimedText {
    /// - Parameter sentence: makes the text of the time in words.
    package static func model(_ time: Timestamp?, _ sentence: (String) -> String = { $0 }) -> [String: any Sendable] {
        let words = time.map(LocalTime.inWords) ?? ""
        let text = sentence(words)
        guard let time, let range = text.firstRange(of: words) else { return plain(text) }
        return [
            "before": String(text[..<range.lowerBound]), "time": time.description, "words": words,
            "after": String(text[range.upperBound...]),
        ]
    }

    /// A text without a time, for the same template.
    package static func plain(_ text: String) -> [String: any Sendable] {
        ["before": text, "time": false, "words": "", "after": ""]
    }
}
