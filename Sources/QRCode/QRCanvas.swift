/// The modules of a symbol while it is drawn: the patterns of its version, then the codewords, then a mask.
struct QRCanvas {
    private let version: QRVersion
    private let size: Int
    private var dark: [Bool]
    /// Modules of patterns: no codeword lies there, and no mask changes them.
    private var isPattern: [Bool]

    init(version: QRVersion, codewords: [UInt8]) {
        self.version = version
        size = version.size
        dark = Array(repeating: false, count: size * size)
        isPattern = dark
        drawPatterns()
        draw(codewords)
    }

    /// The symbol with the mask of the least penalty (ISO/IEC 18004, 7.8.3).
    func masked() -> [Bool] {
        let candidates = (0..<8).map { masked($0) }
        let best = candidates.min { $0.penalty < $1.penalty }
        return best?.dark ?? dark
    }

    private func masked(_ mask: Int) -> (penalty: Int, dark: [Bool]) {
        var canvas = self
        for row in 0..<size {
            for column in 0..<size where !isPattern[row * size + column] {
                if Self.inverts(mask, column, row) { canvas.dark[row * size + column].toggle() }
            }
        }
        canvas.drawFormat(mask)
        return (canvas.penalty, canvas.dark)
    }

    private static func inverts(_ mask: Int, _ column: Int, _ row: Int) -> Bool {
        let product = column * row
        return switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: product % 2 + product % 3 == 0
        case 6: (product % 2 + product % 3) % 2 == 0
        default: ((row + column) % 2 + product % 3) % 2 == 0
        }
    }

    // MARK: Patterns

    private mutating func set(_ column: Int, _ row: Int, _ isDark: Bool) {
        guard (0..<size).contains(column), (0..<size).contains(row) else { return }
        dark[row * size + column] = isDark
        isPattern[row * size + column] = true
    }

    private mutating func drawPatterns() {
        for place in 0..<size {
            set(6, place, place % 2 == 0)
            set(place, 6, place % 2 == 0)
        }
        for (column, row) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawFinder(column, row) }
        let places = version.alignment
        for row in places {
            for column in places {
                let isAtFinder =
                    (column, row) == (6, 6) || (column, row) == (6, size - 7) || (column, row) == (size - 7, 6)
                if !isAtFinder { drawAlignment(column, row) }
            }
        }
        drawFormat(0)
        drawVersion()
    }

    /// A finder pattern with its separator, around its middle.
    private mutating func drawFinder(_ column: Int, _ row: Int) {
        for down in -4...4 {
            for right in -4...4 {
                let distance = max(abs(down), abs(right))
                set(column + right, row + down, distance != 2 && distance != 4)
            }
        }
    }

    private mutating func drawAlignment(_ column: Int, _ row: Int) {
        for down in -2...2 {
            for right in -2...2 { set(column + right, row + down, max(abs(down), abs(right)) != 1) }
        }
    }

    /// Level M is 00, so the mask is the data (ISO/IEC 18004, 7.9).
    private mutating func drawFormat(_ mask: Int) {
        var remainder = mask
        for _ in 0..<10 { remainder = remainder << 1 ^ (remainder >> 9) * 0x537 }
        let bits = (mask << 10 | remainder) ^ 0x5412
        func bit(_ place: Int) -> Bool { bits >> place & 1 == 1 }
        for place in 0...5 { set(8, place, bit(place)) }
        set(8, 7, bit(6))
        set(8, 8, bit(7))
        set(7, 8, bit(8))
        for place in 9..<15 { set(14 - place, 8, bit(place)) }
        for place in 0..<8 { set(size - 1 - place, 8, bit(place)) }
        for place in 8..<15 { set(8, size - 15 + place, bit(place)) }
        set(8, size - 8, true)
    }

    /// From version 7 on (ISO/IEC 18004, 7.10).
    private mutating func drawVersion() {
        guard version.number >= 7 else { return }
        var remainder = version.number
        for _ in 0..<12 { remainder = remainder << 1 ^ (remainder >> 11) * 0x1F25 }
        let bits = version.number << 12 | remainder
        for place in 0..<18 {
            let (far, near) = (size - 11 + place % 3, place / 3)
            set(far, near, bits >> place & 1 == 1)
            set(near, far, bits >> place & 1 == 1)
        }
    }

    // MARK: Codewords

    /// Two columns at a time, from the right, up and down in turn.
    private mutating func draw(_ codewords: [UInt8]) {
        var place = 0
        var isUpward = true
        var right = size - 1
        while right > 0 {
            // The column of the vertical timing pattern is left out.
            if right == 6 { right = 5 }
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for column in [right, right - 1] where !isPattern[row * size + column] {
                    guard place < codewords.count * 8 else { continue }
                    dark[row * size + column] = codewords[place / 8] >> (7 - place % 8) & 1 == 1
                    place += 1
                }
            }
            isUpward.toggle()
            right -= 2
        }
    }

    // MARK: Penalty

    private var penalty: Int {
        var penalty = 0
        for line in 0..<size {
            penalty += Self.penalty(of: (0..<size).map { dark[line * size + $0] })
            penalty += Self.penalty(of: (0..<size).map { dark[$0 * size + line] })
        }
        for row in 0..<size - 1 {
            for column in 0..<size - 1 {
                let place = row * size + column
                let first = dark[place]
                if dark[place + 1] == first, dark[place + size] == first, dark[place + size + 1] == first {
                    penalty += 3
                }
            }
        }
        let percent = dark.count { $0 } * 100 / dark.count
        return penalty + abs(percent - 50) / 5 * 10
    }

    /// Runs of one colour, and patterns that look like a finder.
    private static func penalty(of line: [Bool]) -> Int {
        var penalty = 0
        var run = 0
        for place in line.indices {
            run = place > 0 && line[place] == line[place - 1] ? run + 1 : 1
            if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
        }
        let finder = [true, false, true, true, true, false, true]
        let light = [false, false, false, false]
        for start in 0...max(0, line.count - 11) where start + 11 <= line.count {
            let part = Array(line[start..<start + 11])
            if part == finder + light || part == light + finder { penalty += 40 }
        }
        return penalty
    }
}
