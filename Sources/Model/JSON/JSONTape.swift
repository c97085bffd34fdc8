/// The values of a JSON text as the check found them: one record each, in text order, so that decoding reads no byte
/// twice.
struct JSONTape: Sendable {
    enum Kind: UInt8 {
        case object, array, name, text, number, yes, no, null
    }

    struct Record: Sendable {
        /// The bytes between the quotes of a text or a name; all bytes of a number.
        var start: UInt32
        var end: UInt32
        /// The record after the value and everything in it.
        var next: UInt32
        var kind: Kind
        var isEscaped: Bool

        init(_ kind: Kind, _ place: Range<Int>, next: Int, isEscaped: Bool) {
            start = UInt32(place.lowerBound)
            end = UInt32(place.upperBound)
            self.next = UInt32(next)
            self.kind = kind
            self.isEscaped = isEscaped
        }
    }

    let bytes: [UInt8]
    /// The first is the document; a member is the record of its name, then that of its value.
    let records: [Record]

    /// Checks a text as `JSONText` does.
    ///
    /// - Parameter maximumValues: a text with more is rejected.
    init(checking bytes: [UInt8], maximumValues: Int = JSONText.maximumValues) throws(JSONFault) {
        guard bytes.count < UInt32.max else {
            throw JSONFault(line: 1, column: 1, reason: "it is longer than \(UInt32.max) bytes")
        }
        var scanner = JSONScanner(bytes, maximumValues: maximumValues, isRecording: true)
        _ = try scanner.document()
        self.bytes = bytes
        records = scanner.records ?? []
    }

    /// The value of a text or a name.
    func string(_ record: Record) -> String {
        JSONNames.text(in: bytes[Int(record.start)..<Int(record.end)], isEscaped: record.isEscaped)
    }

    /// Whether a name is this one, byte by byte: two normal forms of one text are two names.
    func isName(_ record: Record, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        if record.isEscaped { return string(record).utf8.elementsEqual(name) }
        let range = Int(record.start)..<Int(record.end)
        guard range.count == name.count else { return false }
        return bytes.withUnsafeBufferPointer { $0[range].elementsEqual(name) }
    }

    func isName(_ record: Record, _ name: String) -> Bool {
        var name = name
        return name.withUTF8 { isName(record, $0) }
    }

    /// The path of a value.
    func path(to place: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var container = 0
        while container != place, records.indices.contains(container) {
            let isObject = records[container].kind == .object
            var (member, index) = (container + 1, 0)
            // The member that contains the place.
            while member < records.count {
                let value = isObject ? member + 1 : member
                guard value < records.count else { return path }
                if place < Int(records[value].next) {
                    path.append(isObject ? AnyKey(string(records[member])) : IndexKey(index))
                    container = value
                    break
                }
                member = Int(records[value].next)
                index += 1
            }
            if member >= records.count { return path }
        }
        return path
    }
}

/// The index in a list.
private struct IndexKey: CodingKey {
    let index: Int
    var stringValue: String { "Index \(index)" }
    var intValue: Int? { index }

    init(_ index: Int) { self.index = index }
    init?(stringValue: String) { nil }
    init?(intValue: Int) { index = intValue }
}
