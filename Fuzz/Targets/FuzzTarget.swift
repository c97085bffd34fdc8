/// What reads bytes that somebody else wrote: each case takes any bytes, and neither stops the program nor breaks what
/// it promises about what it read.
///
/// The fuzzer (`make fuzz`) drives them with bytes that it makes up, the tests with those that are kept in
/// `Fuzz/corpus`.
public enum FuzzTarget: String, CaseIterable, Sendable {
    case gzip, questionnaire, list, cacheControl, entry, test, receipt, httpDate, index, answers, settings, names, tar,
        change, markdown, rules, message

    /// - Throws: `BrokenPromise`.
    public func run(_ bytes: [UInt8]) throws(BrokenPromise) {
        switch self {
        case .gzip: try Self.gzip(bytes)
        case .questionnaire: try Self.questionnaire(bytes)
        case .list: try Self.list(bytes)
        case .cacheControl: try Self.cacheControl(bytes)
        case .entry: try Self.entry(bytes)
        case .test: try Self.test(bytes)
        case .receipt: try Self.receipt(bytes)
        case .httpDate: try Self.httpDate(bytes)
        case .index: try Self.index(bytes)
        case .answers: try Self.answers(bytes)
        case .settings: try Self.settings(bytes)
        case .names: try Self.names(bytes)
        case .tar: try Self.tar(bytes)
        case .change: try Self.change(bytes)
        case .markdown: try Self.markdown(bytes)
        case .rules: try Self.rules(bytes)
        case .message: try Self.message(bytes)
        }
    }
}

/// Something that was read is not what was promised.
public struct BrokenPromise: Error, Equatable, CustomStringConvertible {
    public let description: String
}

func promise(_ isKept: Bool, _ what: @autoclosure () -> String) throws(BrokenPromise) {
    if !isKept { throw BrokenPromise(description: what()) }
}
