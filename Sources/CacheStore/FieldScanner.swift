/// Fields with a length in a protobuf message, one after another.
struct FieldScanner {
    let bytes: UnsafeRawBufferPointer
    /// Behind what was found last; elsewhere it does not move.
    private(set) var place: Int

    init(bytes: UnsafeRawBufferPointer, place: Int = 0) {
        self.bytes = bytes
        self.place = place
    }

    enum Found {
        case found(Range<Int>)
        /// The bytes end, behind a field or in the midst of one.
        case needsMore
        case wrong
    }

    mutating func next(number: UInt8) -> Found {
        guard place < bytes.count else { return .needsMore }
        guard bytes[place] == number << 3 | 2 else { return .wrong }
        var index = place + 1
        var length = 0
        var shift = 0
        while true {
            guard index < bytes.count else { return .needsMore }
            guard shift < 35 else { return .wrong }
            let byte = bytes[index]
            index += 1
            length |= Int(byte & 0x7F) << shift
            shift += 7
            if byte & 0x80 == 0 { break }
        }
        guard bytes.count - index >= length else { return .needsMore }
        place = index + length
        return .found(index..<place)
    }
}
