import Disk
import Model
import WireFormat

/// Saying which tests are open here: one small request at most in a round, whose failure costs nothing.
extension Sweeper {
    func reportProgress(_ round: inout Round) async {
        round.hasReported = true
        guard let progress, !Task.isCancelled else { return }
        do {
            guard let (bytes, digest) = try await offload({ try unheardProgress() }),
                let reply = try await remote.report(bytes, from: progress.sender)
            else { return }
            let heard = ProgressDecision.heard(reply, digest: digest, remote: remote.listURL, now: clock.now)
            if let heard { journal.note(heard) }
        } catch {
            // It is said with the next contact, if it still holds.
        }
    }

    /// Whether the remote has yet to hear something of the open tests here. Blocks on the disk.
    package func hasUnheardProgress() throws -> Bool { try unheardProgress() != nil }

    /// A report that the remote has not heard.
    private func unheardProgress() throws -> (bytes: [UInt8], digest: Digest)? {
        guard let progress else { return nil }
        if case .away = remote.presence() { return nil }
        let (report, bytes) = try ProgressReport(try progress.tests()).fitting()
        let digest = Digest(sha256Of: bytes + Array((progress.person() ?? "").utf8))
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
