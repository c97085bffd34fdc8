/// Reads and writes the JSON documents: readable, byte-stable (sorted names), with errors that name the field.
package enum DocumentCoding {
    /// Pretty-printed JSON with sorted names and a line break at its end.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        try DocumentEncoder.encode(value, isPretty: true) + [UInt8(ascii: "\n")]
    }

    /// Encodes a list piece by piece: the same bytes as `encode` of all of them.
    package static func encodeList(
        _ values: some Sequence<some Encodable>, _ body: ([UInt8]) throws -> Void
    ) throws {
        var isFirst = true
        for value in values {
            let start = isFirst ? "[\n  " : ",\n  "
            try body(Array(start.utf8) + DocumentEncoder.encode(value, isPretty: true, depth: 1))
            isFirst = false
        }
        try body(isFirst ? encode([String]()) : Array("\n]\n".utf8))
    }

    /// The same on one line, for logs and pipes.
    package static func encodeLine(_ value: some Encodable) throws -> [UInt8] {
        try DocumentEncoder.encode(value, isPretty: false) + [UInt8(ascii: "\n")]
    }

    /// Checks the text (depth, UTF-8, grammar), then decodes it.
    ///
    /// - Throws: `DocumentFault`, whose sentence names the line or the field.
    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws(DocumentFault) -> Value
    {
        try decode(type, from: bytes, maximumValues: JSONText.maximumValues)
    }

    /// Decodes documents that only our own program writes, without a limit on the number of values.
    ///
    /// - Throws: `DocumentFault`, whose sentence names the line or the field.
    package static func decodeOwn<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws(DocumentFault) -> Value {
        try decode(type, from: bytes, maximumValues: .max)
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], maximumValues: Int
    ) throws(DocumentFault) -> Value {
        let tape: JSONTape
        do throws(JSONFault) {
            tape = try JSONTape(checking: bytes, maximumValues: maximumValues)
        } catch {
            throw DocumentFault(field: nil, reason: "it is not JSON: \(error)")
        }
        do {
            return try DocumentDecoder.decode(type, from: tape)
        } catch let fault as DocumentFault {
            throw fault
        } catch {
            throw DocumentFault(field: nil, reason: "it cannot be read: \(error)")
        }
    }
}

// MARK: Without a coder

// Values that are read and written at every step (a ledger, a number) are compared with our own output byte for byte: a
// JSON coder there would cost as much as everything else.
extension DocumentCoding {
    /// Whether a text needs no escapes: it consists of ASCII letters, digits and hyphens.
    package static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
        }
    }

    /// The number of up to 18 digits; `nil` for more digits and other characters.
    package static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard (1...18).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}

/// An error in a document, with its field.
public struct DocumentFault: DescribedError, Equatable {
    /// Like `questions[3].options`; `nil` when the fault is not in one field.
    public let field: String?
    public let reason: String

    package init(field: String?, reason: String) {
        self.field = field
        self.reason = reason
    }

    public var description: String { field.map { "\($0): \(reason)" } ?? reason }

    init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(field: DocumentFault.path(context.codingPath + [key]), reason: "is missing")
        case .valueNotFound(let type, let context):
            self.init(field: DocumentFault.path(context.codingPath), reason: "is null where \(name(of: type)) belongs")
        case .typeMismatch(let type, let context):
            self.init(field: DocumentFault.path(context.codingPath), reason: "is not \(name(of: type))")
        case .dataCorrupted(let context):
            self.init(
                field: DocumentFault.path(context.codingPath),
                reason: DocumentFault.reason(of: context.debugDescription))
        @unknown default:
            self.init(field: nil, reason: "cannot be read")
        }
    }

    /// The reason of corrupt data: our own types give a sentence, and Swift's enumerations one that names the type.
    private static func reason(of description: String) -> String {
        guard description.hasPrefix("Cannot initialize "),
            let cause = description.firstRange(of: " from invalid "),
            let kind = description[cause.upperBound...].firstRange(of: " value ")
        else { return description }
        let value = description[kind.upperBound...].prefix(80)
        let isText = description[cause.upperBound..<kind.lowerBound] == "String"
        return "is \(isText ? "“\(value)”" : String(value)), which is not one of its values"
    }

    private static func path(_ keys: [any CodingKey]) -> String? {
        var text = ""
        for key in keys {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
        return text.isEmpty ? nil : text
    }
}

private func name(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a text"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    case is any ExpressibleByDictionaryLiteral.Type: "an object with named fields"
    case is any Sequence.Type: "a list"
    default: "of the expected kind"
    }
}
