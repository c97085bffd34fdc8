/// The rows of a text whose fields are separated by commas, semicolons or tabs (RFC 4180).
package enum SeparatedValues {
    package struct Row: Hashable, Sendable {
        /// The number of its first line, from 1.
        package var line: Int
        package var fields: [String]
    }

    /// A quote that is opened on a line and never closed.
    package struct OpenQuote: Error, Hashable, Sendable {
        package var line: Int
    }

    static let separators: [Character] = [",", ";", "\t"]

    /// The separator that the first line has most often outside of quotes.
    package static func separator(of text: String) -> Character {
        var isQuoted = false
        var counts: [Character: Int] = [:]
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if isQuoted { continue }
            if character.isNewline { break }
            if separators.contains(character) { counts[character, default: 0] += 1 }
        }
        return separators.max { counts[$0, default: 0] < counts[$1, default: 0] } ?? ","
    }

    /// The rows, without those that are empty. Spaces around a field are none of it.
    package static func rows(_ text: String, separator: Character) throws(OpenQuote) -> [Row] {
        var rows: [Row] = []
        var fields: [String] = []
        var field = ""
        var (line, firstLine, quoteLine) = (1, 1, 1)
        var (isQuoted, wasQuoted) = (false, false)
        func endField() {
            fields.append(field.trimmed)
            (field, wasQuoted) = ("", false)
        }
        func endRow() {
            endField()
            if fields.contains(where: { !$0.isEmpty }) { rows.append(Row(line: firstLine, fields: fields)) }
            fields = []
        }
        var characters = text.makeIterator()
        var next = characters.next()
        while let character = next {
            next = characters.next()
            if character.isNewline { line += 1 }
            if isQuoted {
                if character != "\"" {
                    field.append(character)
                } else if next == "\"" {
                    field.append("\"")
                    next = characters.next()
                } else {
                    isQuoted = false
                }
            } else if character == "\"", field.allSatisfy(\.isWhitespace), !wasQuoted {
                (field, isQuoted, wasQuoted, quoteLine) = ("", true, true, line)
            } else if character == separator {
                endField()
            } else if character.isNewline {
                endRow()
                firstLine = line
            } else {
                field.append(character)
            }
        }
        if isQuoted { throw OpenQuote(line: quoteLine) }
        endRow()
        return rows
    }
}
