import Model

/// What a whole list of questionnaires says, as one digest: a device that has put a list together knows by it whether it is the
/// host's (docs/protocol.md, section 3).
///
/// SHA-256 of, for each questionnaire in the order of the ids' bytes: its id, its digest, then each file of `mediaDigests` in
/// the order of the references' bytes, the reference and its digest; after each of these a zero byte, and after a questionnaire
/// a line feed. A digest is written as in the list.
package struct ListState: Sendable {
    private var builder = DigestBuilder()

    package init() {}

    /// Adds the next questionnaire.
    package mutating func add(id: String, digest: Digest?, mediaDigests: [String: Digest]?) {
        var bytes = Array(id.utf8) + [0] + Array((digest?.description ?? "").utf8) + [0]
        let media = (mediaDigests ?? [:]).sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (reference, digest) in media { bytes += Array(reference.utf8) + [0] + Array(digest.description.utf8) + [0] }
        bytes.append(0x0A)
        bytes.withUnsafeBytes { builder.update($0) }
    }

    package consuming func digest() -> Digest { builder.finish() }
}
