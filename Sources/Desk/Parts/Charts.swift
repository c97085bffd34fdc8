import Model
import Results
import RichText

/// Charts as SVG, in the colours of the stylesheet, so that they read well in the dark and in print. Beside each stands its table.
enum Charts {
    private static let width = 600
    private static let height = 180

    /// A bar for each tenth of the points.
    static func histogram(_ bars: [ResultStatistics.Bar], _ language: Language) -> String {
        let most = max(1, bars.map(\.count).max() ?? 1)
        let step = width / max(1, bars.count)
        var parts: [String] = []
        for (place, bar) in bars.enumerated() {
            let length = bar.count == 0 ? 0 : max(2, bar.count * (height - 50) / most)
            let (left, top) = (place * step + 4, height - 25 - length)
            parts.append(
                "<rect class=\"bar-1\" x=\"\(left)\" y=\"\(top)\" width=\"\(step - 8)\" height=\"\(length)\" rx=\"3\"/>"
            )
            if bar.count > 0 {
                parts.append(
                    "<text x=\"\(left + step / 2 - 4)\" y=\"\(top - 6)\" text-anchor=\"middle\">\(bar.count)</text>")
            }
            parts.append(
                "<text class=\"soft\" x=\"\(place * step + step / 2)\" y=\"\(height - 8)\" text-anchor=\"middle\">\(bar.from)–\(bar.to)</text>"
            )
        }
        let label = HTMLWriter.escaped(
            language.text("How many tests reached which part of the points, in percent; the table below says the same.")
        )
        return "<svg class=\"chart\" viewBox=\"0 0 \(width) \(height)\" role=\"img\" aria-label=\"\(label)\">"
            + "<line x1=\"0\" y1=\"\(height - 25)\" x2=\"\(width)\" y2=\"\(height - 25)\"/>" + parts.joined() + "</svg>"
    }

    /// A bar beside the number that it shows.
    static func share(_ fraction: Double) -> String {
        let length = Int(bounded: min(1, max(0, fraction)) * 100)
        return "<svg class=\"share\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
            + "<rect class=\"fill-0\" width=\"100\" height=\"10\"/><rect class=\"fill-1\" width=\"\(length)\" height=\"10\"/></svg>"
    }
}
