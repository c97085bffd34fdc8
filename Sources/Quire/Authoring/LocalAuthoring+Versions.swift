import AuthorDrafts
import Model
import OutboxStore

/// The versions that were written here.
extension LocalAuthoring {
    /// So many versions are shown, the latest first.
    package static let mostVersions = 100

    /// The versions of a questionnaire that were published on this device, as its changes in the outbox have them, and the one that
    /// is here now; the latest first. What other authors published before it is not on this device. Blocks on the disk.
    ///
    /// - Parameter id: either of its ids.
    /// - Returns: none where it is not here, was deleted, or was never written here.
    package func writtenVersions(of id: String) throws -> [WrittenVersion] {
        guard let current = try original(id) else { return [] }
        var written: [(name: String, digest: Digest, bytes: [UInt8], at: Timestamp)] = []
        for stored in try outbox.changes(.questionnaire).reversed() {
            guard case .questionnaire(let change) = stored.change, change.questionnaire == current.id,
                let document = change.document, written.count < Self.mostVersions
            else { continue }
            written.append((change.id.description, Digest(sha256Of: document), document, change.dateChanged))
        }
        // What others published is not written here.
        if written.isEmpty { return [] }
        // Returned to, it is the last one of its kind that counts.
        let place = written.firstIndex { $0.digest == current.digest }
        let versions = written.enumerated().map { number, version in
            WrittenVersion(
                name: version.name, bytes: version.bytes, writtenAt: version.at, isCurrent: number == place)
        }
        if place != nil { return versions }
        return [WrittenVersion(name: "now", bytes: current.bytes, writtenAt: nil, isCurrent: true)] + versions
    }
}
