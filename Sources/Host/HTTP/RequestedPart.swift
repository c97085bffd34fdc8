import HTTPCaching

/// The part of a file that a Range field asks for (RFC 9110 section 14).
enum RequestedPart: Hashable, Sendable {
    /// The complete file: there is no Range field, or one that a server may ignore.
    case whole
    case part(Range<Int64>)
    /// The file has none of the bytes asked for.
    case unsatisfiable

    /// One range is served; a list of several, or a number beyond 64 bits, gets the complete file.
    init(_ field: String?, sizeBytes: Int64) {
        guard let field, let specs = RangeSpec.parse(field), specs.count == 1, !specs[0].isBeyondNumbers else {
            self = .whole
            return
        }
        self = specs[0].resolved(length: sizeBytes).map { .part($0.first..<$0.last + 1) } ?? .unsatisfiable
    }
}

extension RangeSpec {
    fileprivate var isBeyondNumbers: Bool {
        switch self {
        case .from(let first, let last): first == Digits.overflow || last == Digits.overflow
        case .suffix(let count): count == Digits.overflow
        }
    }
}
