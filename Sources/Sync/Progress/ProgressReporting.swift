import Disk
import Model
import WireFormat

/// Says which tests are open here: one small request at most in a round, whose failure costs nothing.
struct ProgressReporting: Sendable {
    let remote: any Remote
    let clock: any StoreClock
    let journal: Journal
    /// What is said of open tests; `nil` where nothing is.
    let source: ProgressSource?

    func report() async {
        guard let source, !Task.isCancelled else { return }
        do {
            guard let (bytes, digest) = try await offload({ try unheard() }),
                let reply = try await remote.report(bytes, from: source.sender)
            else { return }
            let heard = ProgressDecision.heard(reply, digest: digest, remote: remote.listURL, now: clock.now)
            if let heard { journal.note(heard) }
        } catch {
            // It is said with the next contact, if it still holds.
        }
    }

    /// A report that the remote has not heard. Blocks on the disk.
    func unheard() throws -> (bytes: [UInt8], digest: Digest)? {
        guard let source else { return nil }
        if case .away = remote.presence() { return nil }
        let (report, bytes) = try ProgressReport(try source.tests()).fitting()
        let digest = Digest(sha256Of: bytes + Array((source.person() ?? "").utf8))
        let decision = ProgressDecision.decide(
            report, digest: digest, remote: remote.listURL, last: journal.heardProgress(), now: clock.now)
        return decision == .report ? (bytes, digest) : nil
    }
}

extension Journal {
    /// What the remote heard last of the open tests here; `nil` when nothing is known. Without the file it hears it once more.
    package func heardProgress() -> HeardProgress? {
        guard let (bytes, _) = try? fileSystem.readFile(JournalLayout.progress, maximumBytes: 64 << 10) else {
            return nil
        }
        return try? DocumentCoding.decode(HeardProgress.self, from: bytes)
    }

    func note(_ heard: HeardProgress) {
        do {
            try fileSystem.makeFolderIfMissing(JournalLayout.root)
            try fileSystem.writeUnsynced(
                try DocumentCoding.encode(heard), to: JournalLayout.progress, temporaryFolder: JournalLayout.root)
        } catch {
            // As for events: the remote hears it once more.
        }
    }
}
