import Model

/// The figures of one section: of the rated tests in which its questions have points.
package struct SectionStatistics: Sendable {
    package var section: SectionColumns
    /// Of the points that its questions gave together.
    package var scores: NumberSummary
    /// The most points of a test.
    package var mostPoints: Double
    /// The mean part of the points, from 0 (no one has them) to 1 (everyone has all).
    package var part: Double
    /// The same in the strongest, and in the weakest third.
    package var strongest: Double?
    package var weakest: Double?

    /// - Returns: `nil` where no rated test has points for it.
    init?(_ section: SectionColumns, _ rated: [ResultTable.Row], _ thirds: Thirds) {
        let points = Self.points(section, rated)
        guard let scores = NumberSummary(points.map(\.points)), let part = Self.meanPart(points) else { return nil }
        self.section = section
        self.scores = scores
        self.part = part
        mostPoints = points.map(\.maximum).max() ?? 0
        strongest = Self.meanPart(Self.points(section, thirds.strongest))
        weakest = Self.meanPart(Self.points(section, thirds.weakest))
    }

    private static func points(_ section: SectionColumns, _ rows: [ResultTable.Row]) -> [SectionColumns.Points] {
        rows.compactMap { section.points(of: $0) }.filter { $0.maximum > 0 }
    }

    /// Of what each test could reach, however many questions it drew.
    private static func meanPart(_ points: [SectionColumns.Points]) -> Double? {
        points.isEmpty ? nil : NumberSummary.mean(points.map { $0.points / $0.maximum })
    }
}
