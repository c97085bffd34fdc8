/// A regular expression of the subset that Swift and JavaScript read alike, matched in time linear in the text.
///
/// Literals, `.`, classes (`[a-z]`, `[^…]`), `\d \w \s` and their opposites (ASCII), `\p{L}`, `\p{Lu}`, `\p{Ll}`,
/// `\p{N}`, groups, `|`, `* + ? {n,m}`, and escaped signs. A text matches as a whole, so `^` at the beginning and `$` at the
/// end mean nothing. There are no references, no lookaround and no boundaries: they are refused with their place.
package struct TextPattern: Hashable, Sendable {
    /// The longest expression in Unicode scalars, how deep its groups nest, and the most states it is compiled to.
    package static let maximumLength = 1000
    package static let maximumDepth = 32
    package static let maximumStates = 2000
    /// The longest text that can match, in Unicode scalars.
    package static let maximumTextLength = 10_000

    package enum Fault: Error, Hashable, Sendable {
        /// What stands at this scalar, counted from 0, is no expression.
        case invalid(at: Int)
        /// What stands there is outside of the subset.
        case unsupported(at: Int)
        case tooLarge
    }

    enum Step: Hashable, Sendable {
        case one(ScalarSet)
        case split(Int, Int)
        case jump(Int)
        case match
    }

    package let source: String
    private let steps: [Step]

    package init(_ source: String) throws(Fault) {
        self.source = source
        var parser = TextPatternParser(source)
        var compiler = TextPatternCompiler()
        try compiler.emit(try parser.parse())
        try compiler.emit(step: .match)
        steps = compiler.steps
    }

    /// Whether the complete text matches.
    package func matches(_ text: String) -> Bool {
        guard text.unicodeScalars.count <= TextPattern.maximumTextLength else { return false }
        var current = Threads(count: steps.count)
        var next = current
        add(0, to: &current)
        for scalar in text.unicodeScalars {
            if current.list.isEmpty { return false }
            next.clear()
            for place in current.list {
                if case .one(let set) = steps[place], set.contains(scalar) { add(place + 1, to: &next) }
            }
            swap(&current, &next)
        }
        return current.list.contains { steps[$0] == .match }
    }

    /// Adds a state and all that it leads to without a character.
    private func add(_ place: Int, to threads: inout Threads) {
        var open = [place]
        while let place = open.popLast() {
            guard threads.insert(place) else { continue }
            switch steps[place] {
            case .jump(let target): open.append(target)
            case .split(let first, let second): open += [second, first]
            case .one, .match: threads.list.append(place)
            }
        }
    }

    /// A set of states: those that wait for a character, in order.
    private struct Threads {
        var list: [Int] = []
        private var marks: [Int]
        private var generation = 1

        init(count: Int) { marks = Array(repeating: 0, count: count) }

        mutating func clear() {
            list.removeAll(keepingCapacity: true)
            generation += 1
        }

        mutating func insert(_ place: Int) -> Bool {
            if marks[place] == generation { return false }
            marks[place] = generation
            return true
        }
    }
}

/// The characters that one place of an expression accepts.
struct ScalarSet: Hashable, Sendable {
    enum Property: Hashable, Sendable {
        case letter
        case uppercase
        case lowercase
        case number

        init?(_ name: String) {
            switch name {
            case "L": self = .letter
            case "Lu": self = .uppercase
            case "Ll": self = .lowercase
            case "N": self = .number
            default: return nil
            }
        }

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            let category = scalar.properties.generalCategory
            return switch self {
            case .uppercase: category == .uppercaseLetter
            case .lowercase: category == .lowercaseLetter
            case .number: [.decimalNumber, .letterNumber, .otherNumber].contains(category)
            case .letter:
                [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter].contains(category)
            }
        }
    }

    /// One part of a class.
    enum Item: Hashable, Sendable {
        case range(UInt32, UInt32)
        case property(Property, isNegated: Bool)
        /// The opposite of a class such as `\D`.
        case outside([ClosedRange<UInt32>])

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .range(let first, let last): first <= scalar.value && scalar.value <= last
            case .property(let property, let isNegated): property.contains(scalar) != isNegated
            case .outside(let ranges): !ranges.contains { $0.contains(scalar.value) }
            }
        }
    }

    var items: [Item]
    var isNegated = false

    func contains(_ scalar: Unicode.Scalar) -> Bool { items.contains { $0.contains(scalar) } != isNegated }

    static func single(_ scalar: Unicode.Scalar) -> ScalarSet { ScalarSet(items: [.range(scalar.value, scalar.value)]) }
    /// Every character but a line feed and a carriage return.
    static let any = ScalarSet(items: [.range(0x0A, 0x0A), .range(0x0D, 0x0D)], isNegated: true)

    /// `\d`, `\w`, `\s` and their opposites.
    static func named(_ letter: Unicode.Scalar) -> [Item]? {
        let ranges: [ClosedRange<UInt32>]
        switch letter {
        case "d", "D": ranges = [0x30...0x39]
        case "w", "W": ranges = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
        case "s", "S": ranges = [0x09...0x0D, 0x20...0x20, 0xA0...0xA0]
        default: return nil
        }
        let isOpposite = ("A"..."Z").contains(letter)
        return isOpposite ? [.outside(ranges)] : ranges.map { .range($0.lowerBound, $0.upperBound) }
    }
}
