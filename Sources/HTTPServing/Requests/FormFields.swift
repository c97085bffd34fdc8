import Model

/// The fields of a query or a form (`application/x-www-form-urlencoded`), in their order.
package struct FormFields: Sendable {
    package private(set) var pairs: [(name: String, value: String)] = []

    /// More than any form of ours has.
    private static let mostFields = 40_000

    package init(_ text: some StringProtocol) {
        for piece in text.utf8.split(separator: UInt8(ascii: "&")).prefix(Self.mostFields) {
            let parts = piece.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first else { continue }
            pairs.append((Self.decode(name), parts.count > 1 ? Self.decode(parts[1]) : ""))
        }
    }

    /// The fields of a form that was sent in another way.
    package init(_ pairs: [(name: String, value: String)]) { self.pairs = Array(pairs.prefix(Self.mostFields)) }

    package subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

    package func all(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// What fields with a beginning of their names have, each after the rest of its name: `latitude=55.75`.
    package func named(_ beginning: String) -> [String] {
        pairs.filter { $0.name.hasPrefix(beginning) }.map { "\($0.name.dropFirst(beginning.count))=\($0.value)" }
    }

    /// Percent-decoding; an invalid escape is unchanged.
    package static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = true) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"),
                let code = Hexadecimal.decode(String(decoding: rest.prefix(2), as: UTF8.self)),
                code.count == 1
            {
                decoded.append(code[0])
                rest = rest.dropFirst(2)
            } else {
                decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
