import Disk
import Model
import Synchronization
import SystemPackage
import WireFormat

/// An open test, and when the host heard of it, by its own clock.
package struct HeardTest: Hashable, Sendable {
    package var test: OpenTest
    package var heard: Timestamp
    /// Whether it is taken with the version that is published now.
    package var isOfCurrentVersion = true
    /// Never later than it was heard of: a device's clock may be wrong.
    package var since: Timestamp { min(test.since, heard) }
}

/// What devices and hubs report of their open tests: a file for each sender, which its next report replaces. All of it may be
/// deleted at any moment. It is bounded in number, size and age (`ProgressBounds`).
///
/// All calls block on the disk.
package final class ProgressStore: Sendable {
    private let files: any HostFiles
    private let clock: any StoreClock
    /// The reports by their files, which never change.
    private let known = Mutex<[ProgressName: ProgressReport]>([:])

    package init(files: any HostFiles, clock: any StoreClock) {
        self.files = files
        self.clock = clock
    }

    private func names() throws(FileError) -> [ProgressName] {
        try files.names(in: HostLayout.progress).compactMap { ProgressName($0) }
    }

    /// Keeps a report in place of what its sender said before. When it returns, that is durable.
    ///
    /// - Parameter person: the one whose key reported it; `nil` for other keys.
    package func put(_ report: ProgressReport, from sender: String, by person: String?) throws {
        let all = try names()
        let stem = ProgressName.stem(sender)
        let former = all.filter { $0.sender == stem }
        var current = all.filter { $0.sender != stem }
        if !report.tests.isEmpty {
            let bytes = try DocumentCoding.encodeLine(report)
            var number = clock.now.millisecondsSinceEpoch
            if let last = former.map(\.number).max() { number = max(number, last + 1) }
            while true {
                let name = ProgressName(sender: sender, person: person, number: number, sizeBytes: bytes.count)
                if try files.putIfAbsent(bytes, as: name.path) {
                    current.append(name)
                    break
                }
                // Another host was quicker.
                number += 1
            }
        }
        // Where the host is killed here, the greatest number counts.
        for name in former { try files.remove(name.path) }
        let gone = ProgressBounds.superfluous(current.map(\.item), now: clock.now)
        for name in current where gone.contains(name.text) { try files.remove(name.path) }
    }

    /// All open tests, each once, as the best report has it.
    package func tests() throws -> [HeardTest] {
        let now = clock.now
        var latest: [String: ProgressName] = [:]
        for name in try names() where ProgressBounds.isCurrent(name.heard, now: now) {
            if latest[name.sender].map({ $0.number < name.number }) ?? true { latest[name.sender] = name }
        }
        // A clock that was set back makes numbers that are ahead of it.
        let reports = try reports(Array(latest.values)).map { (report: $1, heard: min($0.heard, now)) }
        return OpenTest.best(of: reports).values.map { HeardTest(test: $0.test, heard: $0.heard) }
            .sorted { $0.test.test < $1.test.test }
    }

    private func reports(_ names: [ProgressName]) throws -> [(ProgressName, ProgressReport)] {
        let memory = known.withLock { $0 }
        let new = names.filter { memory[$0] == nil }
        let contents = try files.bytes(ofEach: new.map(\.path), maximumBytes: Int64(ProgressReport.maximumBytes))
        var current = memory.filter { Set(names).contains($0.key) }
        for (name, bytes) in zip(new, contents) {
            // One that was replaced meanwhile is gone; a damaged one says nothing.
            guard let bytes, let report = try? DocumentCoding.decode(ProgressReport.self, from: bytes) else { continue }
            current[name] = report
        }
        let all = current
        known.withLock { $0 = all }
        return names.compactMap { name in all[name].map { (name, $0) } }
    }

    /// The tests of a questionnaire that were started and have not arrived.
    ///
    /// - Parameters:
    ///   - id: the host's id.
    ///   - arrived: the tests of it that are here.
    func openTests(of id: String, arrived: Set<TestID>, in catalog: QuestionnaireCatalog) throws -> [HeardTest] {
        let current = try catalog.document(id: id)
        let names = Set([id, current?.entry.localId].compactMap { $0 })
        return try tests().compactMap { heard in
            guard names.contains(heard.test.questionnaire.id), !arrived.contains(heard.test.test) else { return nil }
            var heard = heard
            heard.isOfCurrentVersion = current.map { $0.published.digest == heard.test.questionnaire.digest } ?? true
            return heard
        }
    }
}
