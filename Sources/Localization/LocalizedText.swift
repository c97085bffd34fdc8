/// An English text with the values in it, to be looked up in another language's catalog.
///
/// `"Saved. Continue with: \(command)"` has the pattern `Saved. Continue with: {0}`, which is its key in the catalogs. The values
/// are numbered in the order of the English text.
package struct LocalizedText: ExpressibleByStringInterpolation, Sendable, Hashable {
    package let pattern: String
    package let values: [String]

    package init(stringLiteral text: String) {
        pattern = text
        values = []
    }

    package init(stringInterpolation interpolation: StringInterpolation) {
        pattern = interpolation.pattern
        values = interpolation.values
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var pattern = ""
        fileprivate var values: [String] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            pattern.reserveCapacity(literalCapacity + 3 * interpolationCount)
            values.reserveCapacity(interpolationCount)
        }

        package mutating func appendLiteral(_ text: String) { pattern += text }

        package mutating func appendInterpolation(_ value: some Any) {
            pattern += "{\(values.count)}"
            values.append("\(value)")
        }
    }

    package func callAsFunction(_ language: Language) -> String { language.text(self) }

    package var english: String { filling(pattern) }

    /// The key in the catalogs.
    func key(_ context: String?) -> String { context.map { "\(pattern) | \($0)" } ?? pattern }

    /// Puts the values in the numbered places of a pattern.
    func filling(_ pattern: String) -> String {
        guard !values.isEmpty else { return pattern }
        var filled = ""
        var rest = pattern[...]
        while let open = rest.firstIndex(of: "{") {
            filled += rest[..<open]
            rest = rest[open...]
            let number = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
            if let index = Int(number), values.indices.contains(index), rest[number.endIndex...].first == "}" {
                filled += values[index]
                rest = rest[number.endIndex...].dropFirst()
            } else {
                filled.append("{")
                rest = rest.dropFirst()
            }
        }
        return filled + rest
    }
}
