/// An expression as a tree.
indirect enum TextPatternNode {
    case one(ScalarSet)
    case sequence([TextPatternNode])
    case choice([TextPatternNode])
    case repetition(TextPatternNode, Int, Int?)
}

/// Reads the subset of regular expressions.
struct TextPatternParser {
    private let scalars: [Unicode.Scalar]
    private var place = 0
    private let end: Int

    init(_ source: String) {
        scalars = Array(source.unicodeScalars)
        var end = scalars.count
        // The anchors of a match of the complete text.
        if scalars.last == "$" {
            var escapes = 0
            while escapes + 1 < scalars.count, scalars[scalars.count - 2 - escapes] == "\\" { escapes += 1 }
            if escapes.isMultiple(of: 2) { end -= 1 }
        }
        self.end = end
        if scalars.first == "^" { place = 1 }
    }

    private var next: Unicode.Scalar? { place < end ? scalars[place] : nil }

    mutating func parse() throws(TextPattern.Fault) -> TextPatternNode {
        guard scalars.count <= TextPattern.maximumLength else { throw .tooLarge }
        let node = try choice(depth: 0)
        guard place >= end else { throw .invalid(at: place) }
        return node
    }

    private mutating func choice(depth: Int) throws(TextPattern.Fault) -> TextPatternNode {
        guard depth <= TextPattern.maximumDepth else { throw .tooLarge }
        var branches = [try sequence(depth: depth)]
        while next == "|" {
            place += 1
            branches.append(try sequence(depth: depth))
        }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence(depth: Int) throws(TextPattern.Fault) -> TextPatternNode {
        var items: [TextPatternNode] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            items.append(try repeated(try atom(depth: depth)))
        }
        return .sequence(items)
    }

    private mutating func repeated(_ node: TextPatternNode) throws(TextPattern.Fault) -> TextPatternNode {
        let bounds: (Int, Int?)
        switch next {
        case "*": bounds = (0, nil)
        case "+": bounds = (1, nil)
        case "?": bounds = (0, 1)
        case "{": bounds = try counts()
        default: return node
        }
        place += 1
        // Which repetition is preferred makes no difference to whether a text matches.
        if next == "?" { place += 1 }
        if let scalar = next, "*+?{".unicodeScalars.contains(scalar) { throw .unsupported(at: place) }
        return .repetition(node, bounds.0, bounds.1)
    }

    /// `{n}`, `{n,}` or `{n,m}`, up to its closing bracket.
    private mutating func counts() throws(TextPattern.Fault) -> (Int, Int?) {
        let start = place
        func number() -> Int? {
            var value: Int?
            while let digit = next.flatMap({ ("0"..."9").contains($0) ? Int($0.value - 0x30) : nil }) {
                value = min((value ?? 0) * 10 + digit, 1_000_000)
                place += 1
            }
            return value
        }
        place += 1
        guard let least = number() else { throw .invalid(at: start) }
        var most: Int? = least
        if next == "," {
            place += 1
            most = next == "}" ? nil : number()
            if most == nil, next != "}" { throw .invalid(at: start) }
        }
        guard next == "}", most ?? least >= least else { throw .invalid(at: start) }
        guard max(least, most ?? 0) <= TextPattern.maximumStates else { throw .tooLarge }
        return (least, most)
    }

    private mutating func atom(depth: Int) throws(TextPattern.Fault) -> TextPatternNode {
        guard let scalar = next else { throw .invalid(at: place) }
        switch scalar {
        case "(": return try group(depth: depth)
        case "[": return .one(try characterClass())
        case ".":
            place += 1
            return .one(.any)
        case "\\": return .one(ScalarSet(items: try escape()))
        case "*", "+", "?", "{": throw .invalid(at: place)
        case "^", "$": throw .unsupported(at: place)
        default:
            place += 1
            return .one(.single(scalar))
        }
    }

    private mutating func group(depth: Int) throws(TextPattern.Fault) -> TextPatternNode {
        let start = place
        place += 1
        if next == "?" {
            place += 1
            guard next == ":" else { throw .unsupported(at: start) }
            place += 1
        }
        let node = try choice(depth: depth + 1)
        guard next == ")" else { throw .invalid(at: start) }
        place += 1
        return node
    }

    private mutating func escape() throws(TextPattern.Fault) -> [ScalarSet.Item] {
        let start = place
        place += 1
        guard let scalar = next else { throw .invalid(at: start) }
        place += 1
        if let items = ScalarSet.named(scalar) { return items }
        switch scalar {
        case "n": return [.range(0x0A, 0x0A)]
        case "r": return [.range(0x0D, 0x0D)]
        case "t": return [.range(0x09, 0x09)]
        case "p", "P":
            var name = ""
            guard next == "{" else { throw .invalid(at: start) }
            place += 1
            while let letter = next, letter != "}" {
                name.unicodeScalars.append(letter)
                place += 1
            }
            guard next == "}" else { throw .invalid(at: start) }
            place += 1
            guard let property = ScalarSet.Property(name) else { throw .unsupported(at: start) }
            return [.property(property, isNegated: scalar == "P")]
        default:
            // A sign means itself; a letter or digit could mean something else in another program.
            let isWord = ("0"..."9").contains(scalar) || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
            if isWord { throw .unsupported(at: start) }
            return [.range(scalar.value, scalar.value)]
        }
    }

    private mutating func characterClass() throws(TextPattern.Fault) -> ScalarSet {
        let start = place
        place += 1
        var set = ScalarSet(items: [])
        if next == "^" {
            set.isNegated = true
            place += 1
        }
        while let scalar = next, scalar != "]" {
            let from = place
            let items = try classItem(scalar)
            guard case .range(let first, let last)? = items.first, items.count == 1, first == last, next == "-",
                place + 1 < end, scalars[place + 1] != "]"
            else {
                set.items += items
                continue
            }
            place += 1
            let ending = try classItem(scalars[place])
            guard case .range(let upper, let same)? = ending.first, ending.count == 1, upper == same, upper >= first
            else { throw .invalid(at: from) }
            set.items.append(.range(first, upper))
        }
        guard next == "]", !set.items.isEmpty else { throw .invalid(at: start) }
        place += 1
        return set
    }

    private mutating func classItem(_ scalar: Unicode.Scalar) throws(TextPattern.Fault) -> [ScalarSet.Item] {
        if scalar == "\\" { return try escape() }
        // A bracket within a class is an operator in newer dialects.
        if scalar == "[" { throw .unsupported(at: place) }
        place += 1
        return [.range(scalar.value, scalar.value)]
    }
}

/// Makes steps of a tree; a repetition is written as often as it counts.
struct TextPatternCompiler {
    private(set) var steps: [TextPattern.Step] = []

    mutating func emit(step: TextPattern.Step) throws(TextPattern.Fault) {
        guard steps.count < TextPattern.maximumStates else { throw .tooLarge }
        steps.append(step)
    }

    mutating func emit(_ node: TextPatternNode) throws(TextPattern.Fault) {
        switch node {
        case .one(let set): try emit(step: .one(set))
        case .sequence(let nodes): for node in nodes { try emit(node) }
        case .choice(let branches):
            var ends: [Int] = []
            for (index, branch) in branches.enumerated() {
                let isLast = index == branches.count - 1
                let split = steps.count
                if !isLast { try emit(step: .split(split + 1, 0)) }
                try emit(branch)
                guard !isLast else { continue }
                ends.append(steps.count)
                try emit(step: .jump(0))
                steps[split] = .split(split + 1, steps.count)
            }
            for end in ends { steps[end] = .jump(steps.count) }
        case .repetition(let node, let least, let most):
            for _ in 0..<least { try emit(node) }
            if let most {
                var splits: [Int] = []
                for _ in least..<max(least, most) {
                    splits.append(steps.count)
                    try emit(step: .split(0, 0))
                    try emit(node)
                }
                for split in splits { steps[split] = .split(split + 1, steps.count) }
            } else {
                let split = steps.count
                try emit(step: .split(0, 0))
                try emit(node)
                try emit(step: .jump(split))
                steps[split] = .split(split + 1, steps.count)
            }
        }
    }
}
