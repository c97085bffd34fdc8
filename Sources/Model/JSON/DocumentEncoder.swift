/// Writes JSON as `JSONEncoder` does with sorted names, byte for byte, in a fraction of its time: each arriving
/// document writes a cache entry.
final class DocumentEncoder: Encoder {
    /// - Parameters:
    ///   - isPretty: on separate lines, indented by two spaces; else all on one line.
    ///   - depth: the nesting depth.
    static func encode(_ value: some Encodable, isPretty: Bool, depth: Int = 0) throws -> [UInt8] {
        let encoder = DocumentEncoder(.root)
        try value.encode(to: encoder)
        var writer = JSONWriter(isPretty: isPretty)
        try writer.write(encoder.node, depth: depth)
        return writer.bytes
    }

    fileprivate let place: JSONPlace
    var codingPath: [any CodingKey] { place.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    fileprivate var node = JSONNode.null

    fileprivate init(_ place: JSONPlace) { self.place = place }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedContainer<Key>(object: object(), place: place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedContainer(list: list(), place: place) }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleContainer(encoder: self) }

    /// A type may ask several times, each time for the same object.
    private func object() -> JSONObjectNode {
        if case .object(let object) = node { return object }
        let object = JSONObjectNode()
        node = .object(object)
        return object
    }

    private func list() -> JSONListNode {
        if case .list(let list) = node { return list }
        let list = JSONListNode()
        node = .list(list)
        return list
    }
}

/// The coding path, built lazily because only errors need it.
private indirect enum JSONPlace {
    case root
    case member(String, of: JSONPlace)
    case element(Int, of: JSONPlace)

    var path: [any CodingKey] {
        switch self {
        case .root: []
        case .member(let name, let place): place.path + [AnyKey(name)]
        case .element(let index, let place): place.path + [AnyKey(String(index))]
        }
    }
}

// MARK: Values

private enum JSONNode {
    case null
    case literal(String)
    case number(Double)
    case string(String)
    case object(JSONObjectNode)
    case list(JSONListNode)

    /// Simple values, without an encoder of their own.
    private init?<Value: Encodable>(plain value: Value) {
        // Types are compared first, which is quick; a failing cast is slow.
        if Value.self == String.self, let value = value as? String {
            self = .string(value)
        } else if Value.self == Bool.self, let value = value as? Bool {
            self = .literal(value ? "true" : "false")
        } else if Value.self == Int.self, let value = value as? Int {
            self = .literal(String(value))
        } else if Value.self == Int64.self, let value = value as? Int64 {
            self = .literal(String(value))
        } else if Value.self == Double.self, let value = value as? Double {
            self = .number(value)
        } else if Value.self == Timestamp.self, let value = value as? Timestamp {
            self = .string(value.description)
        } else if Value.self == Digest.self, let value = value as? Digest {
            self = .string(value.description)
        } else {
            return nil
        }
    }

    init(_ value: some Encodable, at place: @autoclosure () -> JSONPlace) throws {
        if let plain = JSONNode(plain: value) {
            self = plain
            return
        }
        let encoder = DocumentEncoder(place())
        try value.encode(to: encoder)
        self = encoder.node
    }
}

private final class JSONObjectNode {
    var members: [(name: String, node: JSONNode)] = []

    func set(_ name: String, _ node: JSONNode) { members.append((name, node)) }
}

private final class JSONListNode {
    var nodes: [JSONNode] = []
}

// MARK: Containers

// Strings, which are the most frequent, have their own path that does not examine the type.

private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let object: JSONObjectNode
    let place: JSONPlace
    var codingPath: [any CodingKey] { place.path }

    mutating func encodeNil(forKey key: Key) { object.set(key.stringValue, .null) }
    mutating func encode(_ text: String, forKey key: Key) { object.set(key.stringValue, .string(text)) }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let name = key.stringValue
        object.set(name, try JSONNode(value, at: .member(name, of: place)))
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        let nested = JSONObjectNode()
        object.set(key.stringValue, .object(nested))
        return KeyedEncodingContainer(
            KeyedContainer<Nested>(object: nested, place: .member(key.stringValue, of: place)))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let nested = JSONListNode()
        object.set(key.stringValue, .list(nested))
        return UnkeyedContainer(list: nested, place: .member(key.stringValue, of: place))
    }

    // No class of ours encodes its superclass separately.
    mutating func superEncoder() -> any Encoder { DocumentEncoder(place) }
    mutating func superEncoder(forKey key: Key) -> any Encoder {
        DocumentEncoder(.member(key.stringValue, of: place))
    }
}

private struct UnkeyedContainer: UnkeyedEncodingContainer {
    let list: JSONListNode
    let place: JSONPlace
    var codingPath: [any CodingKey] { place.path }
    var count: Int { list.nodes.count }

    mutating func encodeNil() { list.nodes.append(.null) }
    mutating func encode(_ text: String) { list.nodes.append(.string(text)) }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        list.nodes.append(try JSONNode(value, at: .element(list.nodes.count, of: place)))
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        let nested = JSONObjectNode()
        list.nodes.append(.object(nested))
        return KeyedEncodingContainer(KeyedContainer<Nested>(object: nested, place: place))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let nested = JSONListNode()
        list.nodes.append(.list(nested))
        return UnkeyedContainer(list: nested, place: place)
    }

    mutating func superEncoder() -> any Encoder { DocumentEncoder(place) }
}

private struct SingleContainer: SingleValueEncodingContainer {
    let encoder: DocumentEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() { encoder.node = .null }
    mutating func encode(_ text: String) { encoder.node = .string(text) }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        // Rare types encode themselves through here. By concrete type: a cast to a protocol searches all conformances.
        switch value {
        case let value as UInt: encoder.node = .literal(String(value))
        case let value as UInt64: encoder.node = .literal(String(value))
        case let value as UInt32: encoder.node = .literal(String(value))
        case let value as UInt16: encoder.node = .literal(String(value))
        case let value as UInt8: encoder.node = .literal(String(value))
        case let value as Int32: encoder.node = .literal(String(value))
        case let value as Int16: encoder.node = .literal(String(value))
        case let value as Int8: encoder.node = .literal(String(value))
        case let value as Float: encoder.node = .number(Double("\(value)") ?? Double(value))
        default: encoder.node = try JSONNode(value, at: encoder.place)
        }
    }
}

// MARK: Bytes

private struct JSONWriter {
    let isPretty: Bool
    var bytes: [UInt8] = []

    mutating func write(_ node: JSONNode, depth: Int) throws {
        switch node {
        case .null: bytes += "null".utf8
        case .literal(let text): bytes += text.utf8
        case .number(let value):
            guard value.isFinite else {
                throw EncodingError.invalidValue(
                    value, .init(codingPath: [], debugDescription: "JSON has no number \(value)"))
            }
            let text = value.description
            bytes += text.hasSuffix(".0") ? text.dropLast(2).utf8[...] : text.utf8[...]
        case .string(let text): write(text)
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            let members = Self.sorted(object.members)
            for (index, member) in members.enumerated() {
                separate(index, depth + 1)
                write(member.name)
                bytes += isPretty ? " : ".utf8 : ":".utf8
                try write(member.node, depth: depth + 1)
            }
            close(UInt8(ascii: "}"), isEmpty: members.isEmpty, depth)
        case .list(let list):
            bytes.append(UInt8(ascii: "["))
            for (index, node) in list.nodes.enumerated() {
                separate(index, depth + 1)
                try write(node, depth: depth + 1)
            }
            close(UInt8(ascii: "]"), isEmpty: list.nodes.isEmpty, depth)
        }
    }

    /// By name; of several values with one name, the last one wins.
    private static func sorted(_ members: [(name: String, node: JSONNode)]) -> [(name: String, node: JSONNode)] {
        var sorted: [(name: String, node: JSONNode)] = []
        sorted.reserveCapacity(members.count)
        // Members are few, and usually come almost sorted.
        for member in members {
            var place = sorted.count
            while place > 0, precedes(member.name, sorted[place - 1].name) { place -= 1 }
            if place > 0, sorted[place - 1].name == member.name {
                sorted[place - 1] = member
            } else {
                sorted.insert(member, at: place)
            }
        }
        return sorted
    }

    /// Compares their bytes.
    private static func precedes(_ one: String, _ other: String) -> Bool {
        var (one, other) = (one, other)
        return one.withUTF8 { one in
            other.withUTF8 { other in
                for (left, right) in zip(one, other) where left != right { return left < right }
                return one.count < other.count
            }
        }
    }

    private mutating func separate(_ index: Int, _ depth: Int) {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        if isPretty { breakLine(depth) }
    }

    private mutating func close(_ bracket: UInt8, isEmpty: Bool, _ depth: Int) {
        if isPretty {
            if isEmpty { bytes.append(UInt8(ascii: "\n")) }
            breakLine(depth)
        }
        bytes.append(bracket)
    }

    private mutating func breakLine(_ depth: Int) {
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { text in
            // A run without escapes, which is nearly all of the text, is copied at once.
            var rest = text[...]
            while let place = rest.firstIndex(where: Self.needsEscape) {
                bytes += rest[..<place]
                escape(rest[place])
                rest = rest[(place + 1)...]
            }
            bytes += rest
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case 0x08: bytes += "\\b".utf8
        case 0x0C: bytes += "\\f".utf8
        case 0x0A: bytes += "\\n".utf8
        case 0x0D: bytes += "\\r".utf8
        case 0x09: bytes += "\\t".utf8
        case ..<0x20: bytes += ("\\u00" + Hexadecimal.encode([byte])).utf8
        default:
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        }
    }
}
