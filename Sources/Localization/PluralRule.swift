/// The rules of plural categories, in the syntax of Unicode's CLDR (UTS #35, Language Plural Rules), for whole numbers.
///
/// For example, Russian `few`: `v = 0 and i % 10 = 2..4 and i % 100 != 12..14`.
enum PluralRule {
    static func matches(_ rule: String, _ count: Int) -> Bool {
        rule.split(separator: " or ").contains { alternative in
            alternative.split(separator: " and ").allSatisfy { relation($0, count) }
        }
    }

    private static func relation(_ relation: Substring, _ count: Int) -> Bool {
        let sides = relation.split(separator: " != ")
        if sides.count == 2 { return !isAmong(sides[1], value(sides[0], count)) }
        let equal = relation.split(separator: " = ")
        return equal.count == 2 && isAmong(equal[1], value(equal[0], count))
    }

    /// `n` and `i` are the number; the operands about its fraction (`v`, `w`, `f`, `t`) and its exponent (`c`, `e`) are 0.
    private static func value(_ expression: Substring, _ count: Int) -> Int {
        let words = expression.split(separator: " ")
        let operand = words.first == "n" || words.first == "i" ? Int(clamping: count.magnitude) : 0
        guard words.count == 3, words[1] == "%", let divisor = Int(words[2]), divisor > 0 else { return operand }
        return operand % divisor
    }

    /// Whether the list, such as `0,5..19`, has the value.
    private static func isAmong(_ list: Substring, _ value: Int) -> Bool {
        list.split(separator: ",").contains { item in
            let bounds = item.split(separator: "..").compactMap { Int($0.filter { $0 != " " }) }
            guard let low = bounds.first, let high = bounds.last else { return false }
            return low <= value && value <= high
        }
    }
}
