/// The part of a file that a Range field asks for (RFC 9110 section 14).
enum ByteRange: Hashable, Sendable {
    /// The whole: nothing was asked for, or something that a server may ignore.
    case whole
    case part(Range<Int64>)
    /// Nothing of the file lies in what was asked for.
    case unsatisfiable

    /// One range of bytes is understood; a list of several is answered with the whole file.
    init(_ field: String?, sizeBytes: Int64) {
        self = .whole
        guard let field, field.hasPrefix("bytes=") else { return }
        let bounds = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return }
        switch (ByteRange.number(bounds[0]), ByteRange.number(bounds[1])) {
        case (let first?, let last?) where first <= last:
            self = first < sizeBytes ? .part(first..<min(last, sizeBytes - 1) + 1) : .unsatisfiable
        case (let first?, nil) where bounds[1].isEmpty:
            self = first < sizeBytes ? .part(first..<sizeBytes) : .unsatisfiable
        case (nil, let length?) where bounds[0].isEmpty:
            self = length > 0 && sizeBytes > 0 ? .part(max(0, sizeBytes - length)..<sizeBytes) : .unsatisfiable
        default: break
        }
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int64(text) : nil
    }
}
