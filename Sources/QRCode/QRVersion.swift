/// A version of QR code with level M: its size, its blocks (ISO/IEC 18004, table 9) and its alignment patterns (annex E).
struct QRVersion: Sendable {
    let number: Int
    /// Error correction codewords of each block.
    let correctionCodewords: Int
    /// Data codewords of each block.
    let blocks: [Int]
    let alignment: [Int]

    var size: Int { 17 + 4 * number }
    var dataCodewords: Int { blocks.reduce(0, +) }
    /// Bits of the number of bytes.
    var countBits: Int { number < 10 ? 8 : 16 }
    var capacityBytes: Int { (dataCodewords * 8 - 4 - countBits) / 8 }

    private init(_ number: Int, _ correctionCodewords: Int, _ blocks: [(count: Int, data: Int)], _ alignment: [Int]) {
        self.number = number
        self.correctionCodewords = correctionCodewords
        self.blocks = blocks.flatMap { Array(repeating: $0.data, count: $0.count) }
        self.alignment = alignment
    }

    static let all = [
        QRVersion(1, 10, [(1, 16)], []),
        QRVersion(2, 16, [(1, 28)], [6, 18]),
        QRVersion(3, 26, [(1, 44)], [6, 22]),
        QRVersion(4, 18, [(2, 32)], [6, 26]),
        QRVersion(5, 24, [(2, 43)], [6, 30]),
        QRVersion(6, 16, [(4, 27)], [6, 34]),
        QRVersion(7, 18, [(4, 31)], [6, 22, 38]),
        QRVersion(8, 22, [(2, 38), (2, 39)], [6, 24, 42]),
        QRVersion(9, 22, [(3, 36), (2, 37)], [6, 26, 46]),
        QRVersion(10, 26, [(4, 43), (1, 44)], [6, 28, 50]),
    ]
}
