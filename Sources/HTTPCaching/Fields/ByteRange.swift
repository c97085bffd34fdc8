import HTTPTypes

/// Bytes `first` to `last`, both included, as in Range and Content-Range (RFC 9110 section 14).
package struct ByteRange: Hashable, Sendable, Codable {
    package var first: Int64
    package var last: Int64

    /// `nil` where `last` is before `first`, or `first` is negative.
    package init?(_ first: Int64, through last: Int64) {
        guard first >= 0, first <= last, last < .max else { return nil }
        (self.first, self.last) = (first, last)
    }

    package var count: Int64 { last - first + 1 }

    package func contains(_ other: ByteRange) -> Bool { first <= other.first && other.last <= last }

    /// Sorted, with ranges that overlap or touch joined.
    package static func joined(_ ranges: [ByteRange]) -> [ByteRange] {
        var result: [ByteRange] = []
        for range in ranges.sorted(by: { $0.first < $1.first }) {
            if let end = result.last?.last, range.first <= end + 1 {
                result[result.count - 1].last = max(end, range.last)
            } else {
                result.append(range)
            }
        }
        return result
    }

    /// The gaps in `0..<length` that the ranges (sorted and joined) do not cover.
    package static func missing(from ranges: [ByteRange], length: Int64) -> [ByteRange] {
        var result: [ByteRange] = []
        var next: Int64 = 0
        for range in ranges {
            if let gap = ByteRange(next, through: min(range.first, length) - 1) { result.append(gap) }
            next = max(next, range.last + 1)
        }
        if let gap = ByteRange(next, through: length - 1) { result.append(gap) }
        return result
    }
}

/// One range of a request's Range (RFC 9110 section 14.1.2).
package enum RangeSpec: Hashable, Sendable {
    /// `first-last`, or `first-` with `last` nil.
    case from(Int64, through: Int64?)
    /// `-length`: the last bytes.
    case suffix(Int64)

    /// The range in content of `length` bytes; `nil` where it is not satisfiable.
    package func resolved(length: Int64) -> ByteRange? {
        switch self {
        case .from(let first, let last): ByteRange(first, through: min(last ?? .max, length - 1))
        case .suffix(let count): ByteRange(max(0, length - count), through: length - 1)
        }
    }

    /// More ranges than this look like an attack (RFC 9110 sections 14.2 and 17.15): the field is ignored.
    static let mostRanges = 100

    /// Reads a Range field.
    ///
    /// - Returns: `nil` for a field that is absent, malformed, or not in bytes, and is therefore ignored.
    package static func parse(_ fields: HTTPFields) -> [RangeSpec]? {
        let values = fields[values: .range]
        return values.count == 1 ? parse(values[0]) : nil
    }

    /// Reads the value of a Range field.
    package static func parse(_ value: String) -> [RangeSpec]? {
        guard let equals = value.firstIndex(of: "=") else { return nil }
        guard value[..<equals].lowercased() == "bytes" else { return nil }
        var specs: [RangeSpec] = []
        for part in ListReader(value[value.index(after: equals)...]) {
            guard specs.count < mostRanges, let spec = RangeSpec(part) else { return nil }
            specs.append(spec)
        }
        return specs.isEmpty ? nil : specs
    }

    private init?(_ text: Substring) {
        guard let dash = text.utf8.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let (left, right) = (text[..<dash], text[text.index(after: dash)...])
        if left.isEmpty {
            guard let count = Digits.value(right) else { return nil }
            self = .suffix(count)
            return
        }
        guard let first = Digits.value(left) else { return nil }
        if right.isEmpty {
            self = .from(first, through: nil)
        } else {
            guard let last = Digits.value(right), last >= first else { return nil }
            self = .from(first, through: last)
        }
    }
}

/// A Content-Range field (RFC 9110 section 14.4).
package enum ContentRange: Hashable, Sendable {
    case range(ByteRange, completeLength: Int64?)
    /// From a 416: `bytes */length`.
    case unsatisfied(completeLength: Int64)

    /// - Returns: `nil` for a malformed field, another unit than bytes, and several fields.
    package init?(_ fields: HTTPFields) {
        let values = fields[values: .contentRange]
        guard values.count == 1 else { return nil }
        let parts = values[0].split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let halves = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let length = Digits.value(halves[1])
        guard length != nil || halves[1] == "*" else { return nil }
        if halves[0] == "*" {
            guard let length else { return nil }
            self = .unsatisfied(completeLength: length)
            return
        }
        let bounds = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Digits.value(bounds[0]), let last = Digits.value(bounds[1]),
            let range = ByteRange(first, through: last), last < length ?? .max
        else { return nil }
        self = .range(range, completeLength: length)
    }

    package var value: String {
        switch self {
        case .range(let range, let length): "bytes \(range.first)-\(range.last)/\(length.map { String($0) } ?? "*")"
        case .unsatisfied(let length): "bytes */\(length)"
        }
    }
}

package enum Digits {
    /// The value of a number that is too large.
    package static let overflow = Int64.max - 1

    /// A number of digits alone, clamped to the range.
    static func value(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in text.utf8 {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(byte - 0x30))
            value = isTooLarge || carry ? Self.overflow : sum
        }
        return value
    }
}
