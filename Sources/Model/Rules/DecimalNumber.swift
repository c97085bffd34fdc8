/// A decimal number of any precision within bounds: `0.1 + 0.2` is `0.3`, and a step of `0.1` divides `0.3`.
///
/// Reads plain forms (`-12.50`, `1e-7`), which `WrittenNumber` makes of what people write. A number of a JSON document
/// is its shortest decimal form, the same that JavaScript writes; `rules.js` counts with it in the same way.
package struct DecimalNumber: Hashable, Sendable {
    private var isNegative: Bool
    /// Without zeros at either end; empty for 0.
    private var digits: [UInt8]
    /// The number is `digits` times ten to this power.
    private var exponent: Int

    /// The longest text, and the greatest power of ten, that is read.
    package static let maximumLength = 400

    private init(isNegative: Bool, digits: [UInt8], exponent: Int) {
        var digits = digits[...]
        var exponent = exponent
        while digits.first == 0 { digits.removeFirst() }
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        self.digits = Array(digits)
        self.exponent = digits.isEmpty ? 0 : exponent
        self.isNegative = isNegative && !digits.isEmpty
    }

    /// `nil` unless the text is a number in plain form.
    package init?(_ text: String) {
        guard text.utf8.count <= DecimalNumber.maximumLength else { return nil }
        var rest = Substring(text).utf8
        let isNegative = rest.first == UInt8(ascii: "-")
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
        var digits: [UInt8] = []
        var exponent = 0
        var hasPoint = false
        while let byte = rest.first {
            if (0x30...0x39).contains(byte) {
                digits.append(byte - 0x30)
                if hasPoint { exponent -= 1 }
            } else if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else {
                break
            }
            rest.removeFirst()
        }
        guard !digits.isEmpty else { return nil }
        if let mark = rest.popFirst() {
            guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") else { return nil }
            let sign = rest.first
            if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
            guard (1...4).contains(rest.count), rest.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            let power = rest.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            exponent += sign == UInt8(ascii: "-") ? -power : power
        }
        self.init(isNegative: isNegative, digits: digits, exponent: exponent)
        guard abs(self.exponent) <= DecimalNumber.maximumLength else { return nil }
    }

    /// The number that a JSON value is, or that its text says in plain form.
    package init?(_ value: JSONValue) {
        switch value {
        case .integer(let number): self.init(String(number))
        case .number(let number): self.init(String(number))
        case .string(let text): self.init(text)
        default: return nil
        }
    }

    package static let zero = DecimalNumber(isNegative: false, digits: [], exponent: 0)

    package var isInteger: Bool { exponent >= 0 }

    package var magnitude: DecimalNumber { DecimalNumber(isNegative: false, digits: digits, exponent: exponent) }

    package static func - (left: DecimalNumber, right: DecimalNumber) -> DecimalNumber {
        let exponent = min(left.exponent, right.exponent)
        let (first, second) = (left.scaled(to: exponent), right.scaled(to: exponent))
        if left.isNegative != right.isNegative {
            return DecimalNumber(isNegative: left.isNegative, digits: add(first, second), exponent: exponent)
        }
        let isLess = compare(first, second) < 0
        let difference = isLess ? subtract(second, first) : subtract(first, second)
        return DecimalNumber(isNegative: left.isNegative != isLess, digits: difference, exponent: exponent)
    }

    /// Whether this is a whole number of steps; `false` for a step of 0.
    package func isMultiple(of step: DecimalNumber) -> Bool {
        guard !step.digits.isEmpty else { return false }
        let exponent = min(exponent, step.exponent)
        let divisor = step.scaled(to: exponent)
        var rest: [UInt8] = []
        for digit in scaled(to: exponent) {
            if !rest.isEmpty || digit > 0 { rest.append(digit) }
            while DecimalNumber.compare(rest, divisor) >= 0 {
                rest = Array(DecimalNumber.subtract(rest, divisor).drop { $0 == 0 })
            }
        }
        return rest.isEmpty
    }

    // MARK: Whole numbers as digits, without zeros in front

    private func scaled(to exponent: Int) -> [UInt8] {
        digits.isEmpty ? [] : digits + Array(repeating: 0, count: self.exponent - exponent)
    }

    private static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
        if left.count != right.count { return left.count < right.count ? -1 : 1 }
        for (first, second) in zip(left, right) where first != second { return first < second ? -1 : 1 }
        return 0
    }

    private static func add(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var sum: [UInt8] = []
        var carry: UInt8 = 0
        let (first, second) = (Array(left.reversed()), Array(right.reversed()))
        for place in 0..<max(first.count, second.count) {
            let digit = (place < first.count ? first[place] : 0) + (place < second.count ? second[place] : 0) + carry
            sum.append(digit % 10)
            carry = digit / 10
        }
        if carry > 0 { sum.append(carry) }
        return sum.reversed()
    }

    /// - Parameter right: not greater than `left`.
    private static func subtract(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var difference = left
        var borrow = 0
        for place in 0..<left.count {
            let index = left.count - 1 - place
            let other = place < right.count ? Int(right[right.count - 1 - place]) : 0
            let digit = Int(left[index]) - other - borrow
            borrow = digit < 0 ? 1 : 0
            difference[index] = UInt8(digit < 0 ? digit + 10 : digit)
        }
        return difference
    }
}

extension DecimalNumber: Comparable {
    package static func < (left: DecimalNumber, right: DecimalNumber) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        let exponent = min(left.exponent, right.exponent)
        let order = compare(left.scaled(to: exponent), right.scaled(to: exponent))
        return left.isNegative ? order > 0 : order < 0
    }
}

extension DecimalNumber: CustomStringConvertible {
    /// The plain form without an exponent where it is short: `0.25`, `1200`, `1e-30`.
    package var description: String {
        let sign = isNegative ? "-" : ""
        let text = digits.map(String.init).joined()
        if digits.isEmpty { return "0" }
        if exponent >= 0, digits.count + exponent <= 21 { return sign + text + String(repeating: "0", count: exponent) }
        if exponent < 0, -exponent <= 21 {
            let padded = String(repeating: "0", count: max(0, 1 - exponent - digits.count)) + text
            return sign + padded.dropLast(-exponent) + "." + padded.suffix(-exponent)
        }
        return "\(sign)\(text)e\(exponent)"
    }
}
