/// JSON as bytes: checked and cut without decoding, so that a server's bytes survive unchanged.
///
/// The grammar is RFC 8259. Depth and the number of values are limited; invalid UTF-8, lone surrogates, a byte order
/// mark and duplicate names in an object are rejected.
package struct JSONText: Sendable {
    /// Deeper nesting is rejected: no questionnaire needs it, and it would overflow the stack of a recursive parser.
    package static let maximumDepth = 64
    /// More values are rejected: each takes some hundred bytes when decoded, however short its text is (`[],[],[]…`).
    package static let maximumValues = 100_000

    /// One member of the outermost object: byte ranges into the text.
    package struct Member: Sendable {
        package let name: String
        /// From the opening quote of the name to the end of the value.
        package let range: Range<Int>
        package let value: Range<Int>
    }

    package let bytes: [UInt8]
    /// The members of the outermost object in their order; empty for any other value.
    package let members: [Member]
    /// The elements of the outermost array in their order; empty for any other value.
    package let elements: [Range<Int>]
    package let isObject: Bool

    /// Checks the whole text.
    ///
    /// - Throws: `JSONFault` with the line and column of the first error.
    package init(checking bytes: [UInt8]) throws(JSONFault) {
        var scanner = JSONScanner(bytes)
        self.members = try scanner.document()
        self.bytes = bytes
        elements = scanner.elements
        isObject = scanner.foundObject
    }

    /// The same text without the members of these names (of the outermost object), otherwise unchanged.
    package func removing(_ names: Set<String>) -> [UInt8] {
        guard let first = members.first, let last = members.last else { return bytes }
        var result = Array(bytes[..<first.range.lowerBound])
        var isFirst = true
        var previousEnd = first.range.lowerBound
        for member in members {
            if !names.contains(member.name) {
                // Includes the separator, line break and indentation before this member.
                result += bytes[(isFirst ? member.range.lowerBound : previousEnd)..<member.range.upperBound]
                isFirst = false
            }
            previousEnd = member.range.upperBound
        }
        return result + bytes[last.range.upperBound...]
    }
}

/// Where a text stops being JSON, and why.
package struct JSONFault: DescribedError, Equatable {
    package let line: Int
    package let column: Int
    package let reason: String

    package var description: String { "\(reason) (line \(line), column \(column))" }
}

/// An iterative scanner: depth is a counter and a stack of kinds, never the call stack.
struct JSONScanner {
    private let bytes: [UInt8]
    private let maximumValues: Int
    private var index = 0
    private var values = 0
    /// The positions of values and names; `nil` where the caller does not need them.
    private(set) var records: [JSONTape.Record]?
    /// The records of the open containers.
    private var open: [Int] = []
    private var names = JSONNames()
    private(set) var foundObject = false
    private(set) var elements: [Range<Int>] = []

    init(_ bytes: [UInt8], maximumValues: Int = JSONText.maximumValues, isRecording: Bool = false) {
        self.bytes = bytes
        self.maximumValues = maximumValues
        if isRecording {
            records = []
            // Most values are texts with a name.
            records?.reserveCapacity(bytes.count / 24)
        }
    }

    private enum Frame { case object, array }

    mutating func document() throws(JSONFault) -> [JSONText.Member] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw fault("a byte order mark stands before the JSON") }
        var members: [JSONText.Member] = []
        var stack: [Frame] = []
        var name = ""
        var nameStart = 0
        var valueStart = 0
        skipSpace()
        foundObject = peek == UInt8(ascii: "{")

        value: while true {
            // A value starts here.
            values += 1
            guard values <= maximumValues else { throw fault("there are more than \(maximumValues) values") }
            if stack.count == 1 { valueStart = index }
            let start = index
            switch peek {
            case UInt8(ascii: "{"):
                index += 1
                skipSpace()
                guard stack.count < JSONText.maximumDepth else { throw tooDeep }
                record(.object, start..<index)
                if peek == UInt8(ascii: "}") {
                    index += 1
                } else {
                    stack.append(.object)
                    beginRecord()
                    names.begin()
                    let start = index
                    let key = try memberName(decode: records == nil && stack.count == 1)
                    if stack.count == 1 { (name, nameStart) = (key, start) }
                    continue value
                }
            case UInt8(ascii: "["):
                index += 1
                skipSpace()
                guard stack.count < JSONText.maximumDepth else { throw tooDeep }
                record(.array, start..<index)
                if peek == UInt8(ascii: "]") {
                    index += 1
                } else {
                    stack.append(.array)
                    beginRecord()
                    continue value
                }
            case UInt8(ascii: "\""):
                let isEscaped = try string()
                record(.text, start + 1..<index - 1, isEscaped: isEscaped)
            case UInt8(ascii: "t"):
                try word("true")
                record(.yes, start..<index)
            case UInt8(ascii: "f"):
                try word("false")
                record(.no, start..<index)
            case UInt8(ascii: "n"):
                try word("null")
                record(.null, start..<index)
            case UInt8(ascii: "-"), (0x30...0x39)?:
                try number()
                record(.number, start..<index)
            case nil: throw fault("the text ends in the middle")
            default: throw fault("a value was expected")
            }

            // A value has ended: continue in its container.
            while true {
                if records != nil {
                    // A caller with records needs neither members nor elements.
                } else if stack.count == 1, foundObject {
                    members.append(.init(name: name, range: nameStart..<index, value: valueStart..<index))
                } else if stack.count == 1 {
                    elements.append(valueStart..<index)
                }
                skipSpace()
                guard let frame = stack.last else {
                    guard index == bytes.count else { throw fault("something follows the end of the JSON") }
                    return members
                }
                switch (frame, peek) {
                case (_, UInt8(ascii: ",")):
                    index += 1
                    skipSpace()
                    if frame == .object {
                        let start = index
                        let key = try memberName(decode: records == nil && stack.count == 1)
                        if stack.count == 1 { (name, nameStart) = (key, start) }
                    }
                    continue value
                case (.object, UInt8(ascii: "}")), (.array, UInt8(ascii: "]")):
                    index += 1
                    stack.removeLast()
                    endRecord()
                    if frame == .object, let twice = names.end(in: bytes) {
                        index = twice.start
                        throw fault("the name “\(twice.name.prefix(60))” stands there twice in one object")
                    }
                case (_, nil): throw fault("the text ends in the middle")
                default: throw fault(frame == .object ? "a comma or } was expected" : "a comma or ] was expected")
                }
            }
        }
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private var tooDeep: JSONFault { fault("nested deeper than \(JSONText.maximumDepth) levels") }

    private func fault(_ reason: String) -> JSONFault {
        let before = bytes[..<min(index, bytes.count)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let column = before.count - (before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) + 1
        return JSONFault(line: line, column: column, reason: reason)
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func memberName(decode: Bool) throws(JSONFault) -> String {
        guard peek == UInt8(ascii: "\"") else { throw fault("a name in quotes was expected") }
        let start = index
        let isEscaped = try string()
        let place = start + 1..<index - 1
        record(.name, place, isEscaped: isEscaped)
        names.add(place, isEscaped: isEscaped, in: bytes)
        skipSpace()
        guard peek == UInt8(ascii: ":") else { throw fault("a colon was expected") }
        index += 1
        skipSpace()
        return decode ? JSONNames.text(in: bytes[place], isEscaped: isEscaped) : ""
    }

    // MARK: Recording

    private mutating func record(_ kind: JSONTape.Kind, _ place: Range<Int>, isEscaped: Bool = false) {
        guard let next = records?.count else { return }
        records?.append(.init(kind, place, next: next + 1, isEscaped: isEscaped))
    }

    /// The last record is a container, and the next value is inside it.
    private mutating func beginRecord() {
        if let records { open.append(records.count - 1) }
    }

    private mutating func endRecord() {
        guard let next = records?.count, let container = open.popLast() else { return }
        records?[container].next = UInt32(next)
    }

    // MARK: Grammar

    private mutating func word(_ word: StaticString) throws(JSONFault) {
        let matches = word.withUTF8Buffer { bytes[index...].starts(with: $0) }
        guard matches else { throw fault("a value was expected") }
        index += word.utf8CodeUnitCount
    }

    private mutating func number() throws(JSONFault) {
        if peek == UInt8(ascii: "-") { index += 1 }
        if peek == UInt8(ascii: "0") { index += 1 } else { try digits() }
        if peek == UInt8(ascii: ".") {
            index += 1
            try digits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            index += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { index += 1 }
            try digits()
        }
    }

    private mutating func digits() throws(JSONFault) {
        let start = index
        while let byte = peek, byte >= 0x30, byte <= 0x39 { index += 1 }
        if index == start { throw fault("a digit was expected") }
    }

    /// Checks a string; returns whether it has escapes.
    private mutating func string() throws(JSONFault) -> Bool {
        index += 1
        var escaped = false
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return escaped
            case UInt8(ascii: "\\"):
                escaped = true
                index += 1
                try escape()
            case 0..<0x20: throw fault("a control character stands unescaped in a string")
            case 0x20..<0x80: index += 1
            default: try multibyte(byte)
            }
        }
        throw fault("a string is not closed")
    }

    private mutating func escape() throws(JSONFault) {
        switch peek {
        case UInt8(ascii: "u"):
            let unit = try codeUnit()
            if 0xDC00...0xDFFF ~= unit { throw fault("half of a character stands alone") }
            if 0xD800...0xDBFF ~= unit {
                // RFC 8259 section 8.2: receivers treat it unpredictably.
                guard bytes[index...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else {
                    throw fault("half of a character stands alone")
                }
                index += 1
                guard 0xDC00...0xDFFF ~= (try codeUnit()) else { throw fault("half of a character stands alone") }
            }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 1
        default: throw fault("an unknown escape in a string")
        }
    }

    /// The value of `uXXXX`.
    private mutating func codeUnit() throws(JSONFault) -> UInt16 {
        guard index + 4 < bytes.count,
            let digits = Hexadecimal.decode(String(decoding: bytes[index + 1...index + 4], as: UTF8.self))
        else { throw fault("\\u needs four hexadecimal digits") }
        index += 5
        return UInt16(digits[0]) << 8 | UInt16(digits[1])
    }

    /// RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
    private mutating func multibyte(_ first: UInt8) throws(JSONFault) {
        let count: Int
        var lowest: UInt8 = 0x80
        var highest: UInt8 = 0xBF
        switch first {
        case 0xC2...0xDF: count = 2
        case 0xE0: (count, lowest) = (3, 0xA0)
        case 0xED: (count, highest) = (3, 0x9F)
        case 0xE1...0xEF: count = 3
        case 0xF0: (count, lowest) = (4, 0x90)
        case 0xF1...0xF3: count = 4
        case 0xF4: (count, highest) = (4, 0x8F)
        default: throw fault("invalid UTF-8")
        }
        guard index + count <= bytes.count, (lowest...highest).contains(bytes[index + 1]) else {
            throw fault("invalid UTF-8")
        }
        for offset in 2..<max(count, 2) where bytes[index + offset] & 0xC0 != 0x80 { throw fault("invalid UTF-8") }
        index += count
    }
}
