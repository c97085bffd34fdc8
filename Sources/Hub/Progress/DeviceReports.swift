import Disk
import Model
import Synchronization
import SystemPackage
import WireFormat

/// What devices, and hubs below this one, report of their open tests, each in a file that its next report replaces. All of it may
/// be deleted at any moment.
final class DeviceReports: Sendable {
    struct Kept: Hashable, Sendable, Codable {
        var heard: Timestamp
        /// The person whose key reported it; `nil` for other keys, and without one.
        var person: String?
        var report: ProgressReport
    }

    private let fileSystem: any FileSystem
    private let clock: any StoreClock
    /// By the names of their files. Held while a file is written.
    private let kept: Mutex<[String: Kept]>

    /// Blocks on the disk.
    init(_ fileSystem: any FileSystem, clock: any StoreClock) throws(FileError) {
        self.fileSystem = fileSystem
        self.clock = clock
        var kept: [String: Kept] = [:]
        try fileSystem.makeFolderIfMissing(HubLayout.root)
        try fileSystem.makeFolderIfMissing(HubLayout.progress)
        for entry in try fileSystem.list(HubLayout.progress) where HubLayout.isProgressName(entry.name) {
            let path = HubLayout.progress.appending(name: entry.name)
            // A damaged one says nothing.
            guard let (bytes, _) = try? fileSystem.readFile(path, maximumBytes: Int64(ProgressReport.maximumBytes) * 2),
                let report = try? DocumentCoding.decode(Kept.self, from: bytes)
            else { continue }
            kept[entry.name] = report
        }
        self.kept = Mutex(kept)
    }

    /// Blocks on the disk.
    func put(_ report: ProgressReport, from sender: String, by person: String?) throws {
        let name = HubLayout.progressName(ofSender: sender)
        let new = Kept(heard: clock.now, person: person, report: report)
        let bytes = try DocumentCoding.encodeLine(new)
        try kept.withLock { kept in
            if report.tests.isEmpty {
                if kept[name] != nil { try remove([name], &kept) }
            } else {
                try fileSystem.writeDurably(
                    bytes, to: HubLayout.progress.appending(name: name), temporaryFolder: HubLayout.temporary)
                kept[name] = new
            }
            let items = kept.map { name, report in
                ProgressBounds.Item(
                    name: name, heard: report.heard, sizeBytes: report.report.tests.count * Self.usualTestBytes,
                    person: report.person)
            }
            let gone = ProgressBounds.superfluous(items, now: clock.now)
            if !gone.isEmpty { try remove(Array(gone), &kept) }
        }
    }

    /// Of an open test in a report, about.
    private static let usualTestBytes = 400

    private func remove(_ names: [String], _ kept: inout [String: Kept]) throws(FileError) {
        for name in names {
            try fileSystem.removeIfPresent(HubLayout.progress.appending(name: name))
            kept[name] = nil
        }
    }

    /// Each open test once, as the best report has it.
    func tests() -> [TestID: OpenTest] {
        let now = clock.now
        let current = kept.withLock { Array($0.values) }.filter { ProgressBounds.isCurrent($0.heard, now: now) }
        return OpenTest.best(of: current.map { (report: $0.report, heard: $0.heard) }).mapValues(\.test)
    }
}
