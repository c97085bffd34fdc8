import Model
import SystemPackage
import WireFormat

/// The name of a report's file, from which its bounds are kept without reading it: `<sender>.<key>.<number>.<bytes>.json`.
///
/// A report is written once, and of a sender's the greatest number counts. The number is when it was heard, in milliseconds since
/// 1970, or one more than that of the report before it.
struct ProgressName: Hashable, Sendable {
    /// The beginning of the digest of the sender's id.
    let sender: String
    /// The same of the person whose key reported it; `nil` for other keys.
    let person: String?
    let number: Int64
    let sizeBytes: Int

    private static let others = "all"
    private static let suffix = "json"

    init(sender: String, person: String?, number: Int64, sizeBytes: Int) {
        self.sender = Self.stem(sender)
        self.person = person.map(Self.stem)
        self.number = number
        self.sizeBytes = sizeBytes
    }

    /// Reads the name of a file; `nil` for a name that is not exactly as we write it.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, let number = Int64(parts[2]), (0..<1 << 53).contains(number),
            let sizeBytes = Int(parts[3]), (0..<1 << 40).contains(sizeBytes)
        else { return nil }
        sender = parts[0]
        person = parts[1] == Self.others ? nil : parts[1]
        self.number = number
        self.sizeBytes = sizeBytes
        guard self.text == text, [sender, person].allSatisfy({ $0 == nil || $0?.utf8.count == Self.stemLength }) else {
            return nil
        }
    }

    var text: String { "\(sender).\(person ?? Self.others).\(number).\(sizeBytes).\(Self.suffix)" }
    var path: FilePath { HostLayout.progress.appending(name: text) }
    /// When it was heard, by the host's clock.
    var heard: Timestamp { Timestamp(millisecondsSinceEpoch: number) }
    var item: ProgressBounds.Item { .init(name: text, heard: heard, sizeBytes: sizeBytes, person: person) }

    private static let stemLength = 32
    static func stem(_ id: String) -> String { String(Digest(sha256Of: id.utf8).hex.prefix(stemLength)) }
}
