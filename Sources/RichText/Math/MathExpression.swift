/// The meaning of a formula of the subset.
package indirect enum MathExpression: Hashable, Sendable {
    /// A variable, or the name of a function.
    case identifier(String)
    case number(String)
    case symbol(MathSymbol)
    case text(String)
    /// White space, in eighteenths of an em.
    case space(Int)
    case row([MathExpression])
    case fraction(MathExpression, MathExpression)
    /// A fraction without a line: `\binom`.
    case stack(MathExpression, MathExpression)
    case root(MathExpression, index: MathExpression?)
    case script(MathExpression, sub: MathExpression?, sup: MathExpression?)
    /// A mark above (or below) an expression: `\vec`, `\bar`, `\underline`.
    case accent(MathExpression, String, isBelow: Bool)
    /// Rows of cells.
    case matrix([[MathExpression]], MatrixStyle)

    /// How the cells of a matrix are set, and what stands around them.
    package struct MatrixStyle: Hashable, Sendable {
        package var opening = ""
        package var closing = ""
        /// Cells begin at the left: `cases`, `aligned`.
        package var isLeftAligned = false
    }
}

/// An operator, a relation, a bracket or a sign.
package struct MathSymbol: Hashable, Sendable {
    package enum Form: Hashable, Sendable {
        case operation
        case relation
        case opening
        case closing
        case punctuation
        case ordinary
        /// A sum, product or limit: what stands below and above it when displayed.
        case large
    }

    package var text: String
    package var form: Form
    /// Whether a bracket is as high as what it encloses.
    package var stretches: Bool

    init(_ text: String, _ form: Form, stretches: Bool = false) {
        self.text = text
        self.form = form
        self.stretches = stretches
    }
}
