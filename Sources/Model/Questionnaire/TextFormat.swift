/// How the texts of a questionnaire are written.
package enum TextFormat: String, Hashable, Sendable, Codable {
    /// Each character stands for itself.
    case plain
    /// CommonMark with tables and formulas (docs/formatted-text.md).
    case markdown
}
