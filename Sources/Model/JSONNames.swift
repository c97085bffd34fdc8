/// The names of the members of all objects that are open while a text is scanned, as places in it.
///
/// Two readers of `{"id": 1, "id": 2}` see two different documents (RFC 8259 section 4), so a name may stand in an object
/// once. Names are compared as they are after their escapes, byte by byte: two normal forms of one text are two names.
struct JSONNames {
    fileprivate struct Name {
        var place: Range<Int>
        /// What the name says, where that is not what stands there.
        var unescaped: [UInt8]?
    }

    private var names: [Name] = []
    /// Where the names of each open object begin.
    private var starts: [Int] = []

    mutating func begin() { starts.append(names.count) }

    /// Adds a name; its escapes are known to be right.
    mutating func add(_ place: Range<Int>, in bytes: [UInt8]) {
        let raw = bytes[place]
        let unescaped = raw.contains(UInt8(ascii: "\\")) ? Array(Self.unescape(raw).utf8) : nil
        names.append(Name(place: place, unescaped: unescaped))
    }

    /// Ends the innermost object.
    ///
    /// - Returns: a name that it has twice, and where it stands again.
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

    /// The value of a string whose escapes were checked.
    static func unescape(_ raw: ArraySlice<UInt8>) -> String {
        var units: [UInt16] = []
        var rest = raw
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
                var end = rest.startIndex
                while end < rest.endIndex, rest[end] & 0xC0 == 0x80 { end += 1 }
                units += Array(String(decoding: [byte] + rest[rest.startIndex..<end], as: UTF8.self).utf16)
                rest = rest[end...]
                continue
            }
            switch kind {
            case UInt8(ascii: "u"):
                units.append(UInt16(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16) ?? 0xFFFD)
                rest = rest.dropFirst(4)
            case UInt8(ascii: "b"): units.append(0x08)
            case UInt8(ascii: "f"): units.append(0x0C)
            case UInt8(ascii: "n"): units.append(0x0A)
            case UInt8(ascii: "r"): units.append(0x0D)
            case UInt8(ascii: "t"): units.append(0x09)
            default: units.append(UInt16(kind))
            }
        }
        return String(decoding: units, as: UTF16.self)
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
