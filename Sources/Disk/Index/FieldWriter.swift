/// Writes the fields of a protobuf message, as `FieldReader` reads them: varints and length-delimited ones.
package struct FieldWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func add(_ field: UInt64, _ number: UInt64) {
        Self.append(field << 3, to: &bytes)
        Self.append(number, to: &bytes)
    }

    package mutating func add(_ field: UInt64, _ content: some Collection<UInt8>) {
        Self.append(field << 3 | 2, to: &bytes)
        Self.append(UInt64(content.count), to: &bytes)
        bytes += content
    }

    /// A message as the field of an index file.
    package static func framed(_ message: some Collection<UInt8>) -> [UInt8] {
        var writer = FieldWriter()
        writer.bytes.reserveCapacity(message.count + 8)
        writer.add(1, message)
        return writer.bytes
    }

    /// Seven bits in each byte, the lowest first; the highest bit means that more follow.
    package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
