/// Cronbach's alpha: how well the questions of a test measure the same thing.
package struct Reliability: Hashable, Sendable, Encodable {
    /// At most 1; negative where questions contradict each other.
    package var alpha: Double
    /// The questions that everyone was asked, with points for all.
    package var questions: Int
    package var tests: Int

    /// - Parameter points: a row for each test, in the same order of questions.
    /// - Returns: `nil` for fewer than two questions or three tests, and where all have the same score.
    init?(_ points: [[Double]]) {
        guard let first = points.first, first.count > 1, points.count > 2 else { return nil }
        let items = first.indices.map { place in points.map { $0[place] } }
        let variances = items.compactMap(NumberSummary.variance)
        guard variances.count == items.count,
            let total = NumberSummary.variance(points.map { $0.reduce(0, +) }), total > 1e-12
        else { return nil }
        let count = Double(items.count)
        alpha = count / (count - 1) * (1 - variances.reduce(0, +) / total)
        questions = items.count
        tests = points.count
    }

    /// How much a score can be relied on.
    package enum Degree: String, Sendable, Encodable { case low, fair, good, high }

    /// By the limits that are usual in testing: .6, .7, and .9.
    package var degree: Degree { alpha < 0.6 ? .low : alpha < 0.7 ? .fair : alpha < 0.9 ? .good : .high }
}
