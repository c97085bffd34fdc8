import Testing

/// Cases under one heading.
struct RuleTable: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var cases: [RuleCase]
}

/// One rule, as requests that go through the hub one after the other, and what their origin hears of them.
struct RuleCase: Sendable {
    /// Begins with the section of the RFC.
    var name: String
    var steps: [RuleStep]

    init(_ name: String, _ steps: RuleStep...) {
        self.name = name
        self.steps = steps
    }
}

/// One request. In field lines `{+60}` and `{-60}` stand for dates so many seconds from now, `{hub}` and `{origin}` for
/// the authorities of the hub and of the origin, `{path}` for the path of the case.
struct RuleStep: Sendable {
    enum Way: Sendable {
        /// The origin hears of it, without conditions of the cache.
        case fetched
        /// The origin is asked whether what is stored still holds.
        case validated
        /// The origin hears nothing of it.
        case stored
        /// Nothing but the answer counts.
        case any
    }

    var way: Way
    var method = "GET"
    /// Behind the path of the case.
    var suffix = ""
    /// The request's field lines, and its content.
    var asks: [String] = []
    var sends = ""
    /// Seconds that pass before it.
    var after = 0
    /// What the origin says, if it is asked.
    var status = 200
    var says: [String] = []
    /// The content of the origin's answer; one of its own where it is nil.
    var content: String?
    /// Lines that the origin is to hear; with `!` before a name: that it must not.
    var hears: [String] = []
    /// What the client gets: a status, and field lines as in `hears`.
    var gets: Int?
    var sees: [String] = []
    /// The content that the client gets; what the origin sent last in this case where it is nil.
    var reads: String?

    /// The origin answers.
    static func fetched(
        _ says: String..., asks: [String] = [], method: String = "GET", suffix: String = "", status: Int = 200,
        after: Int = 0, content: String? = nil, sends: String = "", hears: [String] = [], gets: Int? = nil,
        sees: [String] = [], reads: String? = nil
    ) -> RuleStep {
        RuleStep(
            way: .fetched, method: method, suffix: suffix, asks: asks, sends: sends, after: after, status: status,
            says: says, content: content, hears: hears, gets: gets, sees: sees, reads: reads)
    }

    /// The origin is asked with conditions, and confirms unless another status is given.
    static func validated(
        _ says: String..., asks: [String] = [], method: String = "GET", status: Int = 304, after: Int = 0,
        content: String? = nil, hears: [String] = [], gets: Int? = nil, sees: [String] = [], reads: String? = nil
    ) -> RuleStep {
        RuleStep(
            way: .validated, method: method, asks: asks, after: after, status: status, says: says, content: content,
            hears: hears, gets: gets, sees: sees, reads: reads)
    }

    /// The cache answers.
    static func stored(
        _ asks: String..., method: String = "GET", suffix: String = "", after: Int = 0, gets: Int? = nil,
        sees: [String] = [], reads: String? = nil
    ) -> RuleStep {
        RuleStep(
            way: .stored, method: method, suffix: suffix, asks: asks, after: after, gets: gets, sees: sees,
            reads: reads)
    }
}

/// Tables one behind the other.
func joined(_ tables: [RuleCase]...) -> [RuleCase] { tables.flatMap { $0 } }
