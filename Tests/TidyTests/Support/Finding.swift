import Testing

/// A broken house rule: where, and what to do about it.
struct Finding: Equatable, CustomStringConvertible {
    let path: String
    /// Counted from 1.
    let line: Int
    let advice: String

    var description: String { "\(path):\(line): \(advice)" }
}

/// Records every finding as a failure of its own, so that one run shows all of them.
func expectNone(_ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation) {
    for finding in findings { Issue.record("\(finding.description)", sourceLocation: sourceLocation) }
}
