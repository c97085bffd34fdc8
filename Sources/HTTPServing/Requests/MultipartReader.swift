/// Reads a form with files as it arrives (`multipart/form-data`, RFC 7578): no file is held in memory.
package struct MultipartReader: Sendable {
    package enum Event: Sendable, Equatable {
        /// - fileName: `nil` for a field that is no file; empty where none was chosen.
        case part(name: String, fileName: String?, type: String?)
        /// A piece of the part's content; never empty.
        case bytes([UInt8])
        case endOfPart
    }

    package struct Fault: Error, Equatable {}

    private enum Place {
        /// Before the first boundary.
        case preamble
        case fields
        case content
        /// After the last one.
        case epilogue
    }

    private let delimiter: [UInt8]
    private var place = Place.preamble
    /// The unread bytes: never much more than a boundary, or the fields of a part.
    private var pending: [UInt8]

    static let longestFieldsBytes = 16 << 10

    /// - Parameter contentType: of the request.
    /// - Returns: `nil` where it names no boundary that RFC 2046, section 5.1.1, allows.
    package init?(contentType: String) {
        let parameters = Self.parameters(contentType)
        guard let boundary = parameters["boundary"], (1...70).contains(boundary.utf8.count),
            boundary.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") })
        else { return nil }
        delimiter = Array("\r\n--\(boundary)".utf8)
        // The first boundary may stand at the very beginning.
        pending = Array("\r\n".utf8)
    }

    /// - Throws: `Fault` for any other form.
    package mutating func read(_ bytes: [UInt8]) throws(Fault) -> [Event] {
        pending += bytes
        var events: [Event] = []
        while try step(&events) {}
        return events
    }

    /// - Throws: `Fault` when the form did not come to its end.
    package func finish() throws(Fault) {
        guard case .epilogue = place else { throw Fault() }
    }

    /// - Returns: whether there may be more to read.
    private mutating func step(_ events: inout [Event]) throws(Fault) -> Bool {
        switch place {
        case .preamble, .content:
            let isContent = place == .content
            guard let found = Self.range(of: delimiter, in: pending) else {
                // A boundary may have started at the end.
                let safe = max(0, pending.count - delimiter.count)
                if safe > 0 {
                    if isContent { events.append(.bytes(Array(pending[..<safe]))) }
                    pending.removeFirst(safe)
                }
                return false
            }
            // The two characters after it show whether another part follows.
            guard pending.count >= found.upperBound + 2 else { return false }
            let after = Array(pending[found.upperBound..<found.upperBound + 2])
            guard after == Array("\r\n".utf8) || after == Array("--".utf8) else { throw Fault() }
            if isContent {
                if found.lowerBound > 0 { events.append(.bytes(Array(pending[..<found.lowerBound]))) }
                events.append(.endOfPart)
            }
            pending.removeFirst(found.upperBound + 2)
            place = after == Array("--".utf8) ? .epilogue : .fields
            return true
        case .fields:
            // A part without fields has no name: it is no part of a form.
            guard let end = Self.range(of: Array("\r\n\r\n".utf8), in: pending) else {
                guard pending.count <= Self.longestFieldsBytes else { throw Fault() }
                return false
            }
            guard end.lowerBound <= Self.longestFieldsBytes else { throw Fault() }
            events.append(try Self.part(String(decoding: pending[..<end.lowerBound], as: UTF8.self)))
            // The line break before a boundary that follows at once belongs to the boundary.
            pending.removeFirst(end.upperBound)
            if pending.starts(with: delimiter.dropFirst(2)) { pending = Array("\r\n".utf8) + pending }
            place = .content
            return true
        case .epilogue:
            pending = []
            return false
        }
    }

    private static func part(_ fields: String) throws(Fault) -> Event {
        var disposition: [String: String]?
        var type: String?
        for line in fields.split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { throw Fault() }
            let value = String(parts[1].drop { $0 == " " })
            switch parts[0].lowercased() {
            case "content-disposition":
                guard value.lowercased().hasPrefix("form-data"), disposition == nil else { throw Fault() }
                disposition = parameters(value)
            case "content-type": type = value
            default: break
            }
        }
        guard let disposition, let name = disposition["name"] else { throw Fault() }
        return .part(name: name, fileName: disposition["filename"], type: type)
    }

    /// `; name="value"` after the first word. Browsers write a quotation mark and a line break of a name as %22, %0D and
    /// %0A (WHATWG), and everything else as it is; other programs put a backslash before a quotation mark.
    static func parameters(_ text: String) -> [String: String] {
        var found: [String: String] = [:]
        var rest = text.unicodeScalars.drop { $0 != ";" }
        while rest.first == ";" {
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            let name = String(rest.prefix { $0 != "=" && $0 != ";" }).lowercased()
            rest = rest.drop { $0 != "=" && $0 != ";" }
            guard rest.popFirst() == "=" else { break }
            var value = String.UnicodeScalarView()
            if rest.first == "\"" {
                rest = rest.dropFirst()
                while let scalar = rest.popFirst(), scalar != "\"" {
                    let isEscape = scalar == "\\" && rest.first == "\""
                    value.append(isEscape ? rest.removeFirst() : scalar)
                }
                rest = rest.drop { $0 != ";" }
            } else {
                value.append(contentsOf: rest.prefix { $0 != ";" && $0 != " " && $0 != "\t" })
                rest = rest.drop { $0 != ";" }
            }
            if found[name] == nil {
                found[name] = String(value).replacing("%22", with: "\"").replacing("%0D", with: "")
                    .replacing("%0A", with: "")
            }
        }
        return found
    }

    /// Where some bytes stand first.
    private static func range(of wanted: [UInt8], in bytes: [UInt8]) -> Range<Int>? {
        guard let first = wanted.first else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            var from = 0
            while bytes.count - from >= wanted.count,
                let start = bytes[from...(bytes.count - wanted.count)].firstIndex(of: first)
            {
                if bytes[start..<start + wanted.count].elementsEqual(wanted) { return start..<start + wanted.count }
                from = start + 1
            }
            return nil
        }
    }
}
