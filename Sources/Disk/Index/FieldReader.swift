/// Length-delimited fields in a protobuf message, one after another.
package struct FieldScanner {
    let bytes: UnsafeRawBufferPointer
    /// The offset after the last field; otherwise unchanged.
    package private(set) var place: Int

    package init(bytes: UnsafeRawBufferPointer, place: Int = 0) {
        self.bytes = bytes
        self.place = place
    }

    package enum Found {
        case found(Range<Int>)
        /// The bytes end after a field or within one.
        case needsMore
        case wrong
    }

    package mutating func next(number: UInt8) -> Found {
        guard place < bytes.count else { return .needsMore }
        guard bytes[place] == number << 3 | 2 else { return .wrong }
        var index = place + 1
        let length: UInt64
        switch bytes.variableNumber(at: &index) {
        case .number(let value): length = value
        case .needsMore: return .needsMore
        case .wrong: return .wrong
        }
        // Longer than 2 GiB is no message (protobuf.dev, “Total size”).
        guard length <= UInt64(Int32.max) else { return .wrong }
        guard bytes.count - index >= Int(length) else { return .needsMore }
        place = index + Int(length)
        return .found(index..<place)
    }
}

/// The fields of one complete protobuf message, read in place.
package struct FieldReader {
    /// The bytes are not a message, or not one of ours.
    package struct Fault: Error {
        @inlinable package init() {}
    }

    package enum Value {
        case number(UInt64)
        case bytes(UnsafeRawBufferPointer)

        @inlinable package func number() throws(Fault) -> UInt64 {
            guard case .number(let number) = self else { throw Fault() }
            return number
        }

        @inlinable package func bytes() throws(Fault) -> UnsafeRawBufferPointer {
            guard case .bytes(let bytes) = self else { throw Fault() }
            return bytes
        }

        /// Replaces invalid UTF-8.
        package func text() throws(Fault) -> String {
            // Several times as quick as the initializer for raw bytes.
            try bytes().withMemoryRebound(to: UInt8.self) { String(decoding: $0, as: UTF8.self) }
        }
    }

    @usableFromInline let bytes: UnsafeRawBufferPointer
    @usableFromInline var place = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The next field; `nil` at the end. Our messages have no fixed-length numbers.
    @inlinable @inline(__always)
    package mutating func next() throws(Fault) -> (number: UInt64, value: Value)? {
        if place == bytes.count { return nil }
        let key = try variableNumber()
        switch key & 7 {
        case 0: return (key >> 3, .number(try variableNumber()))
        case 2:
            let length = try variableNumber()
            guard length <= UInt64(bytes.count - place) else { throw Fault() }
            let start = place
            place += Int(length)
            return (key >> 3, .bytes(UnsafeRawBufferPointer(rebasing: bytes[start..<place])))
        default: throw Fault()
        }
    }

    @inlinable @inline(__always)
    mutating func variableNumber() throws(Fault) -> UInt64 {
        guard case .number(let value) = bytes.variableNumber(at: &place) else { throw Fault() }
        return value
    }

    /// Packed numbers, without keys.
    package struct Numbers {
        @usableFromInline let bytes: UnsafeRawBufferPointer
        @usableFromInline var place = 0

        package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        package var isAtEnd: Bool { place == bytes.count }

        @inlinable @inline(__always)
        package mutating func next() throws(Fault) -> UInt64 {
            guard case .number(let value) = bytes.variableNumber(at: &place) else { throw Fault() }
            return value
        }
    }
}

@usableFromInline enum VariableNumber {
    case number(UInt64)
    case needsMore
    case wrong
}

extension UnsafeRawBufferPointer {
    /// Seven bits in each byte, the lowest first; the highest bit means that more follow. At most ten bytes.
    @inlinable @inline(__always)
    func variableNumber(at index: inout Int) -> VariableNumber {
        // Most are keys and lengths of one byte.
        if index < count, self[index] < 0x80 {
            index += 1
            return .number(UInt64(self[index - 1]))
        }
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while index < count {
            guard shift < 64 else { return .wrong }
            let byte = self[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return .number(value) }
            shift += 7
        }
        return .needsMore
    }
}
