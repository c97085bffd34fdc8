import AuthorDrafts
import Disk
import Model
import ObjectStores
import Synchronization
import SystemPackage

/// Drafts in a bucket that hosts share: `drafts/<uuid>/<n>`, of which the greatest number counts, and their pictures and sounds.
///
/// A writer takes the number after the state that it has read by creating it. A draft ends with an empty state, which stays for a
/// while: so a state of another host that was under way has no number that is free.
struct DraftBucket: DraftFiles {
    private let files: HostBucket
    private let clock: any StoreClock
    private let read = ReadStates()

    /// What is left of a removed draft is kept for so long.
    private static let secondsEndsAreKept: Double = 30 * 86_400

    init(_ files: HostBucket, clock: any StoreClock) {
        self.files = files
        self.clock = clock
    }

    func place(of version: Int, of id: TestID) -> FilePath { files.place(of: Self.path(version, of: id)) }

    private static func folder(_ id: TestID) -> FilePath { HostLayout.drafts.folder(of: id) }

    private static func path(_ version: Int, of id: TestID) -> FilePath {
        FilePath(HostBucket.versionName(version, of: folder(id)))
    }

    // MARK: States

    /// What is stored of a draft.
    private struct Stored {
        var versions: [Int] = []
        var isEnded = false
        var endedAt = Timestamp.epoch
        var files: [String] = []

        /// - Parameter name: below the draft's folder.
        mutating func note(_ name: Substring, _ found: HostBucket.Found) {
            guard let version = ObjectVersion.number(in: name) else { return files.append(String(name)) }
            // They are listed in their order.
            versions.append(version)
            isEnded = found.sizeBytes == 0
            endedAt = found.modified
        }

        var states: DraftStates { DraftStates(versions, isEnded: isEnded) }
    }

    private func stored() throws -> [TestID: Stored] {
        var all: [TestID: Stored] = [:]
        for found in try files.files(below: HostLayout.drafts.folder) {
            let name = found.name.prefix { $0 != "/" }
            guard let id = DraftLayout.id(ofFolder: String(name)) else { continue }
            all[id, default: Stored()].note(found.name.dropFirst(name.count + 1), found)
        }
        return all
    }

    private func stored(_ id: TestID) throws -> Stored {
        var stored = Stored()
        for found in try files.files(below: Self.folder(id)) { stored.note(found.name[...], found) }
        return stored
    }

    func all() throws -> [TestID: [Int]] {
        try stored().compactMapValues { $0.isEnded || $0.versions.isEmpty ? nil : $0.versions }
    }

    func states(of id: TestID) throws -> DraftStates {
        let states = try stored(id).states
        return states.isEnded ? DraftStates([], isEnded: true) : states
    }

    func bytes(ofEach states: [(version: Int, id: TestID)], maximumBytes: Int64) throws -> [[UInt8]?] {
        let paths = states.map { Self.path($0.version, of: $0.id) }
        var found = read.states(paths)
        let unknown = paths.indices.filter { found[$0] == nil }
        if unknown.isEmpty { return found }
        let bytes = try files.bytes(ofEach: unknown.map { paths[$0] }, maximumBytes: maximumBytes)
        for (place, bytes) in zip(unknown, bytes) { found[place] = bytes }
        read.note(zip(unknown.map { paths[$0] }, bytes))
        return found
    }

    func put(_ bytes: [UInt8], _ version: Int, of id: TestID) throws -> Bool {
        let former = FileVersion(bytes: [], number: version - 1)
        guard try files.replace(Self.folder(id), bytes, former: former) else { return false }
        if version == 1 { return true }
        // States go in their order: as long as the one before is there, this number was never used.
        if try files.status(of: Self.path(version - 1, of: id)) != nil { return true }
        try files.remove(Self.path(version, of: id))
        return false
    }

    func remove(_ versions: [Int], of id: TestID) throws {
        for version in versions { try files.remove(Self.path(version, of: id)) }
    }

    func end(_ id: TestID, after version: Int) throws -> Bool {
        if version == 0 { return true }
        guard try put([], version + 1, of: id) else { return false }
        try clean(id, try stored(id))
        return true
    }

    /// Removes all of a removed draft but its end.
    private func clean(_ id: TestID, _ stored: Stored) throws {
        try remove(stored.versions.dropLast(), of: id)
        for name in stored.files { try files.remove(Self.folder(id).pushing(FilePath(name))) }
    }

    /// Removes what a killed host has left of removed drafts, and ends that no writer can know any more.
    func recover() throws {
        for (id, stored) in try stored() where stored.isEnded {
            try clean(id, stored)
            if clock.now.seconds(since: stored.endedAt) > Self.secondsEndsAreKept {
                try remove(stored.versions.suffix(1), of: id)
            }
        }
    }

    func freeID(forDraftOf questionnaire: String) throws -> TestID? {
        for place in 0... {
            let digest = Digest(sha256Of: "draft \(place) of \(questionnaire)".utf8).bytes
            guard let id = digest.withUnsafeBytes({ TestID(bytes: .init(rebasing: $0.prefix(16))) }) else { return nil }
            if try !states(of: id).isEnded { return id }
        }
        return nil
    }

    func locked<Result>(_ body: () throws -> Result) throws -> Result { try body() }

    // MARK: Files of drafts

    private static func path(_ file: ContentPath, of id: TestID) -> FilePath {
        HostLayout.drafts.media(of: id).appending(name: file.fileName)
    }

    func countFiles(of id: TestID) throws -> Int { try files.names(in: HostLayout.drafts.media(of: id)).count }

    func put(_ bytes: [UInt8], file: ContentPath, of id: TestID) throws {
        _ = try files.putIfAbsent(bytes, as: Self.path(file, of: id))
    }

    func bytes(file: ContentPath, of id: TestID, maximumBytes: Int64) throws -> [UInt8]? {
        try files.bytes(of: Self.path(file, of: id), maximumBytes: maximumBytes)
    }

    func hasFile(_ file: ContentPath, of id: TestID) throws -> Bool {
        try files.status(of: Self.path(file, of: id)) != nil
    }
}

/// States that were read, up to so many bytes: they never change.
private final class ReadStates: Sendable {
    private static let mostBytes = 16 << 20

    private let known = Mutex<(states: [FilePath: [UInt8]], bytes: Int)>(([:], 0))

    func states(_ paths: [FilePath]) -> [[UInt8]?] { known.withLock { known in paths.map { known.states[$0] } } }

    func note(_ found: some Sequence<(FilePath, [UInt8]?)>) {
        known.withLock { known in
            for case (let path, let bytes?) in found where known.states[path] == nil {
                if known.bytes + bytes.count > Self.mostBytes { known = ([:], 0) }
                known.states[path] = bytes
                known.bytes += bytes.count
            }
        }
    }
}
