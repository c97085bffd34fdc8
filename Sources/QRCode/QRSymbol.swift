/// A QR code (ISO/IEC 18004) of bytes, with error correction level M, of the versions 1 to 10.
package struct QRSymbol: Hashable, Sendable {
    /// Modules along each side, without the quiet zone.
    package let size: Int
    private var dark: [Bool]

    /// Bytes that fit into the largest version.
    package static let mostBytes = QRVersion.all.last.map { $0.dataCodewords - 3 } ?? 0

    /// - Returns: `nil` for more than `mostBytes` bytes.
    package init?(_ bytes: [UInt8]) {
        guard let version = QRVersion.all.first(where: { $0.capacityBytes >= bytes.count }) else { return nil }
        let canvas = QRCanvas(version: version, codewords: QRCodewords.make(bytes, version))
        size = version.size
        dark = canvas.masked()
    }

    /// Whether a module is dark; those outside the symbol are light.
    package func isDark(_ column: Int, _ row: Int) -> Bool {
        guard (0..<size).contains(column), (0..<size).contains(row) else { return false }
        return dark[row * size + column]
    }

    /// Light modules that a reader needs around the symbol.
    package static let quietZone = 4

    /// The symbol with its quiet zone as lines of a terminal: two rows of modules in each, black on white by escape sequences.
    package var terminalLines: [String] {
        let zone = -Self.quietZone..<size + Self.quietZone
        return stride(from: zone.lowerBound, to: zone.upperBound, by: 2).map { row in
            let blocks = zone.map { column in
                switch (isDark(column, row), isDark(column, row + 1)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            return "\u{1B}[30;107m" + blocks.joined() + "\u{1B}[0m"
        }
    }

    /// The symbol with its quiet zone as an SVG, black on white in every colour scheme.
    ///
    /// - Parameters:
    ///   - label: what it is, for screen readers, escaped for HTML.
    ///   - side: its width and height in pixels; `nil` where a stylesheet says it.
    package func svg(label: String, side pixels: Int? = nil) -> String {
        let side = size + 2 * Self.quietZone
        let lengths = pixels.map { " width=\"\($0)\" height=\"\($0)\"" } ?? ""
        return """
            <svg viewBox="0 0 \(side) \(side)"\(lengths) role="img" aria-label="\(label)" shape-rendering="crispEdges">\
            <path fill="#fff" d="M0 0h\(side)v\(side)h-\(side)z"/><path d="\(svgPath)"/></svg>
            """
    }

    /// The path data of an SVG of `size + 2 * quietZone` units, one rectangle for each run of dark modules.
    package var svgPath: String {
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                guard isDark(column, row) else {
                    column += 1
                    continue
                }
                let start = column
                while isDark(column, row) { column += 1 }
                let (x, y) = (start + Self.quietZone, row + Self.quietZone)
                path += "M\(x) \(y)h\(column - start)v1h-\(column - start)z"
            }
        }
        return path
    }
}
