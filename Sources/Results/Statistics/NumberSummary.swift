/// What is said of a list of numbers.
package struct NumberSummary: Hashable, Sendable, Encodable {
    package var count: Int
    package var mean: Double
    package var median: Double
    /// Of a sample: the sum of squares is divided by one less than the count. `nil` for a single number.
    package var standardDeviation: Double?
    package var minimum: Double
    package var maximum: Double

    /// - Returns: `nil` for no numbers.
    package init?(_ numbers: [Double]) {
        guard !numbers.isEmpty else { return nil }
        let sorted = numbers.sorted()
        let middle = sorted.count / 2
        count = sorted.count
        mean = Self.mean(numbers)
        median = sorted.count % 2 == 1 ? sorted[middle] : Self.mean([sorted[middle - 1], sorted[middle]])
        standardDeviation = Self.variance(numbers)?.squareRoot()
        minimum = sorted[0]
        maximum = sorted[sorted.count - 1]
    }

    /// The arithmetic mean of some numbers.
    static func mean(_ numbers: [Double]) -> Double {
        let sum = numbers.reduce(0, +)
        // Anyone may answer with the greatest number there is.
        return sum.isFinite
            ? sum / Double(numbers.count) : numbers.reduce(0) { $0 + $1 / Double(numbers.count) }
    }

    /// The variance of a sample; `nil` for fewer than two numbers, and where it is too great for a number.
    static func variance(_ numbers: [Double]) -> Double? {
        guard numbers.count > 1 else { return nil }
        let mean = mean(numbers)
        let variance = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(numbers.count - 1)
        return variance.isFinite ? variance : nil
    }

    /// Pearson's correlation of two lists of the same length.
    ///
    /// - Returns: `nil` for fewer than three pairs, and where one of the lists does not vary.
    static func correlation(_ first: [Double], _ second: [Double]) -> Double? {
        guard first.count == second.count, first.count > 2 else { return nil }
        let (meanFirst, meanSecond) = (mean(first), mean(second))
        var (product, squaresFirst, squaresSecond) = (0.0, 0.0, 0.0)
        for (left, right) in zip(first, second) {
            product += (left - meanFirst) * (right - meanSecond)
            squaresFirst += (left - meanFirst) * (left - meanFirst)
            squaresSecond += (right - meanSecond) * (right - meanSecond)
        }
        // Sums of decimals that are equal on paper differ in their last digits.
        let least = 1e-12 * Double(first.count)
        guard squaresFirst > least * max(1, meanFirst * meanFirst),
            squaresSecond > least * max(1, meanSecond * meanSecond)
        else { return nil }
        return min(1, max(-1, product / (squaresFirst * squaresSecond).squareRoot()))
    }
}
