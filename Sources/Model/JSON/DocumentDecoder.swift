/// Decodes `Decodable` types from a checked text, as JSONDecoder does, in a fraction of its time: each arriving
/// questionnaire and each opened cache entry is decoded.
///
/// A number that does not fit its type is a fault of its field, as a value of the wrong kind is.
final class DocumentDecoder: Decoder {
    /// - Throws: `DocumentFault` that names the field, or any error other than `DecodingError` from the type's own
    ///   initializer.
    static func decode<Value: Decodable>(_ type: Value.Type, from tape: JSONTape) throws -> Value {
        do {
            return try DecodedText(tape).decode(type, at: 0)
        } catch let misfit as Misfit {
            throw DocumentFault(misfit.reason.error(at: tape.path(to: misfit.place)))
        } catch let error as DecodingError {
            throw DocumentFault(error)
        }
    }

    fileprivate let text: DecodedText
    fileprivate let place: Int
    /// Where the search for a member starts: at the last one found. Most members are requested in document order, some
    /// twice.
    private var cursor: Int

    fileprivate init(_ text: DecodedText, at place: Int) {
        self.text = text
        self.place = place
        cursor = place + 1
    }

    var codingPath: [any CodingKey] { text.tape.path(to: place) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard text.kind(place) == .object else { throw text.mismatch([String: Any].self, at: place) }
        return KeyedDecodingContainer(KeyedContainer<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard text.kind(place) == .array else { throw text.mismatch([Any].self, at: place) }
        return UnkeyedContainer(text: text, place: place)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { SingleContainer(text: text, place: place) }

    /// The position of a member's value; `nil` where there is none of that name.
    fileprivate func value(of name: String) -> Int? {
        var name = name
        return name.withUTF8 { name in
            let (first, end) = (place + 1, text.end(of: place))
            return value(of: name, in: cursor..<end) ?? value(of: name, in: first..<min(cursor, end))
        }
    }

    private func value(of name: UnsafeBufferPointer<UInt8>, in range: Range<Int>) -> Int? {
        var member = range.lowerBound
        while member < range.upperBound {
            let next = text.end(of: member + 1)
            if text.tape.isName(text.tape.records[member], name) {
                cursor = member
                return member + 1
            }
            member = next
        }
        return nil
    }

    fileprivate func value(of key: some CodingKey) throws -> Int {
        if let value = value(of: key.stringValue) { return value }
        throw Misfit(place: place, reason: .missing(key.stringValue))
    }

    /// A value of any kind, without trying types in turn.
    func value() throws -> JSONValue { try text.value(at: place) }

    /// The members whose names are not among `known`.
    func members(except known: [String]) throws -> [String: JSONValue] {
        guard text.kind(place) == .object else { throw text.mismatch([String: Any].self, at: place) }
        return try text.members(at: place, except: known)
    }

    /// The number here as it is written, where it has more digits than a `Double` keeps exactly.
    var longNumber: String? { text.longNumber(at: place) }
}

/// A value of the wrong kind. Its path is computed at the end, only if needed: many types try several kinds, and
/// finding the path takes longer the further the value is.
private struct Misfit: Error {
    enum Reason {
        case mismatch(any Any.Type)
        case null(any Any.Type)
        case missing(String)
        case tooGreat

        func error(at path: [any CodingKey]) -> DecodingError {
            let context = DecodingError.Context(codingPath: path, debugDescription: "is too great a number")
            return switch self {
            case .mismatch(let type): .typeMismatch(type, context)
            case .null(let type): .valueNotFound(type, context)
            case .missing(let name): .keyNotFound(AnyKey(name), context)
            case .tooGreat: .dataCorrupted(context)
            }
        }
    }

    var place: Int
    var reason: Reason
}

/// A text whose values are decoded.
private final class DecodedText {
    let tape: JSONTape

    init(_ tape: JSONTape) { self.tape = tape }

    func kind(_ place: Int) -> JSONTape.Kind { tape.records[place].kind }
    func end(of place: Int) -> Int { Int(tape.records[place].next) }

    func mismatch(_ type: any Any.Type, at place: Int) -> Misfit {
        Misfit(place: place, reason: kind(place) == .null ? .null(type) : .mismatch(type))
    }

    // MARK: Values

    func decode<Value: Decodable>(_ type: Value.Type, at place: Int) throws -> Value {
        // Types are compared first, which is quick; a failing cast is slow.
        if type == String.self, let value = try string(at: place) as? Value { return value }
        if type == [String].self, let value = try strings(at: place) as? Value { return value }
        if type == Int.self, let value = try integer(Int.self, at: place) as? Value { return value }
        return try Value(from: DocumentDecoder(self, at: place))
    }

    func string(at place: Int) throws -> String {
        let record = tape.records[place]
        guard record.kind == .text else { throw mismatch(String.self, at: place) }
        return tape.string(record)
    }

    private func strings(at place: Int) throws -> [String] {
        guard kind(place) == .array else { throw mismatch([Any].self, at: place) }
        var strings: [String] = []
        var element = place + 1
        while element < end(of: place) {
            strings.append(try string(at: element))
            element += 1
        }
        return strings
    }

    func bool(at place: Int) throws -> Bool {
        switch kind(place) {
        case .yes: return true
        case .no: return false
        default: throw mismatch(Bool.self, at: place)
        }
    }

    /// `1.0` and `1e3` are whole numbers, too.
    func integer<Value: FixedWidthInteger>(_ type: Value.Type, at place: Int) throws -> Value {
        let record = tape.records[place]
        guard record.kind == .number else { throw mismatch(type, at: place) }
        let digits = tape.bytes[Int(record.start)..<Int(record.end)]
        if let value = Self.whole(type, digits) { return value }
        // Beyond that a Double cannot represent every integer: the nearest one would be a different number.
        guard let number = Double(String(decoding: digits, as: UTF8.self)), abs(number) <= 0x1p53,
            let value = Value(exactly: number)
        else { throw mismatch(type, at: place) }
        return value
    }

    private static func whole<Value: FixedWidthInteger>(_ type: Value.Type, _ digits: ArraySlice<UInt8>) -> Value? {
        let isNegative = digits.first == UInt8(ascii: "-")
        var value: Value = 0
        for byte in isNegative ? digits.dropFirst() : digits {
            guard (0x30...0x39).contains(byte) else { return nil }
            let (product, isBeyond) = value.multipliedReportingOverflow(by: 10)
            let digit = Value(byte - 0x30)
            let (sum, isTooGreat) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            if isBeyond || isTooGreat { return nil }
            value = sum
        }
        return value
    }

    func number(at place: Int) throws -> Double {
        let record = tape.records[place]
        guard record.kind == .number else { throw mismatch(Double.self, at: place) }
        let digits = String(decoding: tape.bytes[Int(record.start)..<Int(record.end)], as: UTF8.self)
        guard let number = Double(digits), number.isFinite else { throw Misfit(place: place, reason: .tooGreat) }
        return number
    }

    /// Integral numbers become integers, as far as the range goes.
    func longNumber(at place: Int) -> String? {
        let record = tape.records[place]
        guard record.kind == .number else { return nil }
        let text = tape.bytes[Int(record.start)..<Int(record.end)]
        let mantissa = text.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
        let count = mantissa.count { (0x30...0x39).contains($0) }
        // Fifteen decimal digits survive a Double and the way back.
        return count > 15 ? String(decoding: text, as: UTF8.self) : nil
    }

    func value(at place: Int) throws -> JSONValue {
        switch kind(place) {
        case .null: return .null
        case .yes: return .bool(true)
        case .no: return .bool(false)
        case .text, .name: return .string(tape.string(tape.records[place]))
        case .number:
            return try (try? integer(Int64.self, at: place)).map { .integer($0) } ?? .number(number(at: place))
        case .array:
            var values: [JSONValue] = []
            var element = place + 1
            while element < end(of: place) {
                values.append(try value(at: element))
                element = end(of: element)
            }
            return .array(values)
        case .object: return .object(try members(at: place))
        }
    }

    func members(at place: Int, except known: [String] = []) throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        var member = place + 1
        while member < end(of: place) {
            let name = tape.records[member]
            if !known.contains(where: { tape.isName(name, $0) }) {
                members[tape.string(name)] = try value(at: member + 1)
            }
            member = end(of: member + 1)
        }
        return members
    }

    private func float(at place: Int) throws -> Float {
        let float = Float(try number(at: place))
        guard float.isFinite else { throw Misfit(place: place, reason: .tooGreat) }
        return float
    }

    /// The simple types, which decode themselves by requesting themselves.
    func plain<Value: Decodable>(_ type: Value.Type, at place: Int) throws -> Value {
        // By concrete type: a cast to a protocol searches all conformances.
        let value: any Decodable =
            switch type {
            case is Bool.Type: try bool(at: place)
            case is Int64.Type: try integer(Int64.self, at: place)
            case is Double.Type: try number(at: place)
            case is Float.Type: try float(at: place)
            case is Int32.Type: try integer(Int32.self, at: place)
            case is Int16.Type: try integer(Int16.self, at: place)
            case is Int8.Type: try integer(Int8.self, at: place)
            case is UInt.Type: try integer(UInt.self, at: place)
            case is UInt64.Type: try integer(UInt64.self, at: place)
            case is UInt32.Type: try integer(UInt32.self, at: place)
            case is UInt16.Type: try integer(UInt16.self, at: place)
            case is UInt8.Type: try integer(UInt8.self, at: place)
            default: try decode(type, at: place)
            }
        guard let value = value as? Value else { throw mismatch(type, at: place) }
        return value
    }
}

// MARK: Containers

// The most frequent types have functions of their own. The generic one examines the type, and the standard library's for an
// optional number looks the member up three times.

private struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: DocumentDecoder
    var text: DecodedText { decoder.text }
    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        var keys: [Key] = []
        var member = decoder.place + 1
        while member < text.end(of: decoder.place) {
            if let key = Key(stringValue: text.tape.string(text.tape.records[member])) { keys.append(key) }
            member = text.end(of: member + 1)
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { decoder.value(of: key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { text.kind(try decoder.value(of: key)) == .null }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try text.string(at: try decoder.value(of: key))
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try text.decode(type, at: try decoder.value(of: key))
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key).map { try text.string(at: $0) }
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try present(key).map { try text.bool(at: $0) }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try present(key).map { try text.integer(type, at: $0) }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key).map { try text.number(at: $0) }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try present(key).map { try text.decode(type, at: $0) }
    }

    private func present(_ key: Key) -> Int? {
        guard let value = decoder.value(of: key.stringValue), text.kind(value) != .null else { return nil }
        return value
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try superDecoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try superDecoder(forKey: key).unkeyedContainer()
    }

    // No class of ours decodes its superclass separately.
    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { DocumentDecoder(text, at: try decoder.value(of: key)) }
}

private struct UnkeyedContainer: UnkeyedDecodingContainer {
    let text: DecodedText
    let place: Int
    private var element: Int
    private(set) var currentIndex = 0

    init(text: DecodedText, place: Int) {
        self.text = text
        self.place = place
        element = place + 1
    }

    var codingPath: [any CodingKey] { text.tape.path(to: place) }
    // Reserving capacity would gain nothing.
    var count: Int? { nil }
    var isAtEnd: Bool { element >= text.end(of: place) }

    private mutating func next() throws -> Int {
        guard !isAtEnd else {
            throw Misfit(place: place, reason: .missing("[\(currentIndex)]"))
        }
        defer {
            element = text.end(of: element)
            currentIndex += 1
        }
        return element
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, text.kind(element) == .null else { return false }
        _ = try next()
        return true
    }

    mutating func decode(_ type: String.Type) throws -> String { try text.string(at: try next()) }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try text.decode(type, at: try next()) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { DocumentDecoder(text, at: try next()) }
}

private struct SingleContainer: SingleValueDecodingContainer {
    let text: DecodedText
    let place: Int
    var codingPath: [any CodingKey] { text.tape.path(to: place) }

    func decodeNil() -> Bool { text.kind(place) == .null }
    func decode(_ type: String.Type) throws -> String { try text.string(at: place) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try text.plain(type, at: place) }
}
