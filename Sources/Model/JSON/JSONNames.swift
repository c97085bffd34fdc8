/// The member names of all open objects during a scan, as ranges of the text.
///
/// Two readers of `{"id": 1, "id": 2}` see two different documents (RFC 8259 section 4), so an object may have a name
/// only once. Names are compared unescaped, byte by byte: two normal forms of one text are two names.
struct JSONNames {
    fileprivate struct Name {
        var place: Range<Int>
        /// The unescaped name, where it differs from its spelling.
        var unescaped: [UInt8]?
    }

    private var names: [Name] = []
    /// Where the names of each open object start.
    private var starts: [Int] = []

    mutating func begin() { starts.append(names.count) }

    /// Adds a name whose escapes were checked.
    mutating func add(_ place: Range<Int>, isEscaped: Bool, in bytes: [UInt8]) {
        let unescaped = isEscaped ? Array(Self.unescape(bytes[place]).utf8) : nil
        names.append(Name(place: place, unescaped: unescaped))
    }

    /// Ends the innermost object.
    ///
    /// - Returns: a duplicate name, and where it occurs again.
    mutating func end(in bytes: [UInt8]) -> (name: String, start: Int)? {
        let object = names[(starts.popLast() ?? 0)...]
        defer { names.removeLast(object.count) }
        guard object.count > 1 else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            func isBefore(_ left: Name, _ right: Name) -> Bool {
                left.withBytes(in: bytes) { one in
                    right.withBytes(in: bytes) { other in
                        one.count != other.count ? one.count < other.count : one.lexicographicallyPrecedes(other)
                    }
                }
            }
            let sorted = object.sorted(by: isBefore)
            for (left, right) in zip(sorted, sorted.dropFirst()) where !isBefore(left, right) {
                let later = left.place.lowerBound > right.place.lowerBound ? left : right
                let name = later.withBytes(in: bytes) { String(decoding: $0, as: UTF8.self) }
                return (name, later.place.lowerBound - 1)
            }
            return nil
        }
    }

    /// The value of a string whose escapes were checked, from the bytes between its quotes.
    static func text(in raw: ArraySlice<UInt8>, isEscaped: Bool) -> String {
        isEscaped ? unescape(raw) : String(decoding: raw, as: UTF8.self)
    }

    /// The value of a string whose escapes were checked.
    static func unescape(_ raw: ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(raw.count)
        var rest = raw
        while let place = rest.firstIndex(of: UInt8(ascii: "\\")) {
            text += rest[..<place]
            rest = rest[(place + 1)...]
            switch rest.popFirst() {
            case UInt8(ascii: "u"): text += String(Character(escaped(&rest))).utf8
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case let byte?: text.append(byte)
            case nil: break
            }
        }
        return String(decoding: text + rest, as: UTF8.self)
    }

    /// The character of `XXXX`, or of `XXXX\uXXXX` for one beyond U+FFFF.
    private static func escaped(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar {
        func unit() -> UInt32 {
            defer { rest = rest.dropFirst(4) }
            return UInt32(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16) ?? 0xFFFD
        }
        var value = unit()
        if 0xD800...0xDBFF ~= value {
            rest = rest.dropFirst(2)
            value = 0x10000 + (value - 0xD800) << 10 + (unit() & 0x3FF)
        }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }
}

extension JSONNames.Name {
    fileprivate func withBytes<Result>(
        in text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        if let unescaped { return unescaped.withUnsafeBufferPointer(body) }
        return body(UnsafeBufferPointer(rebasing: text[place]))
    }
}
