import Disk
import Model
import OutboxStore
import SystemPackage

/// Checks the files about the contact with the remote.
extension Journal {
    /// A fault in one of the files, with the file.
    package struct Fault: Sendable, Hashable {
        package var path: FilePath
        package var reason: String
        /// Whether the file does not belong in the folder at all.
        package var isStranger = false
    }

    package func faults() throws -> [Fault] {
        guard try fileSystem.status(at: JournalLayout.root)?.kind == .folder else { return [] }
        var faults: [Fault] = []
        for entry in try fileSystem.list(JournalLayout.root) where !fileSystem.isTemporaryName(entry.name) {
            let path = JournalLayout.root.appending(name: entry.name)
            switch path {
            case JournalLayout.events, JournalLayout.formerEvents, JournalLayout.contact,
                JournalLayout.missing, OutboxLayout.formerVersions:
                break
            default: faults.append(Fault(path: path, reason: "", isStranger: true))
            }
        }
        for path in [JournalLayout.formerEvents, JournalLayout.events] {
            if let reason = try eventsFault(path) { faults.append(Fault(path: path, reason: reason)) }
        }
        if let (bytes, _) = try? fileSystem.readFile(JournalLayout.contact, maximumBytes: 1 << 16) {
            do throws(DocumentFault) {
                _ = try DocumentCoding.decode(Contact.self, from: bytes)
            } catch {
                faults.append(Fault(path: JournalLayout.contact, reason: error.description))
            }
        }
        return faults
    }

    /// Under the lock of the writers: an incomplete line does not count.
    private func eventsFault(_ path: FilePath) throws -> String? {
        guard try fileSystem.status(at: path)?.kind == .regular else { return nil }
        let file = try fileSystem.continuing { () throws(FileError) in try fileSystem.open(path, .read) }
        defer { fileSystem.closeQuietly(file) }
        _ = try fileSystem.lock(file, wait: true)
        let bytes: [UInt8]
        do throws(FileError) {
            (bytes, _) = try fileSystem.readFile(path, maximumBytes: Self.rotationBytes * 2)
        } catch {
            // Rotated away in this moment, it is looked at the next time.
            return error.isMissing ? nil : error.description
        }
        var bad: [Int] = []
        var first = ""
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
        where !line.isEmpty {
            do throws(DocumentFault) {
                _ = try DocumentCoding.decode(JournalEvent.self, from: Array(line))
            } catch {
                if bad.isEmpty { first = error.description }
                bad.append(index + 1)
            }
        }
        guard let number = bad.first else { return nil }
        return "line \(number)\(bad.count > 1 ? " and \(bad.count - 1) more" : ""): \(first)"
    }

    /// Removes the files of killed writers.
    package func removeAbandonedTemporaryFiles() {
        do {
            guard try fileSystem.status(at: JournalLayout.root)?.kind == .folder else { return }
            try fileSystem.removeAbandonedTemporaryFiles(in: JournalLayout.root, isShared: true)
        } catch {
            // As for events: the log is never a reason why something does not happen.
        }
    }
}
