/// The codewords of a symbol: the data, its padding, and the Reed-Solomon codewords of each block, interleaved.
enum QRCodewords {
    static func make(_ bytes: [UInt8], _ version: QRVersion) -> [UInt8] {
        let data = padded(bytes, version)
        var blocks: [ArraySlice<UInt8>] = []
        var start = 0
        for count in version.blocks {
            blocks.append(data[start..<start + count])
            start += count
        }
        let generator = ReedSolomon.generator(version.correctionCodewords)
        let corrections = blocks.map { ReedSolomon.remainder(of: $0, by: generator) }
        return interleaved(blocks) + interleaved(corrections.map { $0[...] })
    }

    private static func padded(_ bytes: [UInt8], _ version: QRVersion) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for place in stride(from: count - 1, through: 0, by: -1) { bits.append(value >> place & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, version.countBits)
        for byte in bytes { append(Int(byte), 8) }
        append(0, min(4, version.dataCodewords * 8 - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var data = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        let padding: [UInt8] = [0xEC, 0x11]
        let used = data.count
        while data.count < version.dataCodewords { data.append(padding[(data.count - used) % 2]) }
        return data
    }

    private static func interleaved(_ blocks: [ArraySlice<UInt8>]) -> [UInt8] {
        let longest = blocks.map(\.count).max() ?? 0
        return (0..<longest).flatMap { place in
            blocks.compactMap { place < $0.count ? $0[$0.startIndex + place] : nil }
        }
    }
}

/// Reed-Solomon codes over GF(256) with the polynomial x⁸ + x⁴ + x³ + x² + 1.
enum ReedSolomon {
    static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var result = 0
        for place in stride(from: 7, through: 0, by: -1) {
            result = result << 1 ^ (result >> 7 & 1) * 0x11D
            if right >> place & 1 == 1 { result ^= Int(left) }
        }
        return UInt8(truncatingIfNeeded: result)
    }

    /// The product of (x - 2⁰) to (x - 2ⁿ⁻¹), without its leading coefficient.
    static func generator(_ degree: Int) -> [UInt8] {
        var coefficients = [UInt8](repeating: 0, count: degree)
        coefficients[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for place in 0..<degree {
                coefficients[place] = product(coefficients[place], root)
                if place + 1 < degree { coefficients[place] ^= coefficients[place + 1] }
            }
            root = product(root, 2)
        }
        return coefficients
    }

    static func remainder(of data: ArraySlice<UInt8>, by generator: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: generator.count)
        for byte in data {
            let factor = byte ^ result.removeFirst()
            result.append(0)
            for place in generator.indices { result[place] ^= product(generator[place], factor) }
        }
        return result
    }
}
