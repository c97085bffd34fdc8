import Disk
import Model
import Synchronization
import SystemPackage

/// Content on its way into the cache: one writer appends, any number of readers follow it, each at its own pace.
///
/// While it is short it is kept in memory. Then it goes to a temporary file, whose space is booked before the bytes
/// arrive: the file is given that space (`FileSystem.allocate`) under the cache's lock, so whoever counts sees it. A
/// crash leaves a temporary file whose lock is free, and never a blob. Where the content has an origin, the file ends in a
/// note of how much of it came (`PartNote`), and who finds it makes a part of it.
package final class ArrivingContent: Sendable {
    /// Shorter content has no temporary file.
    static let longestInMemory = 64 << 10
    /// What is booked at a time where the length is not known.
    static let firstStep: Int64 = 1 << 20
    static let longestStep: Int64 = 64 << 20
    /// A kill takes no more than this of what came.
    static let noteStep: Int64 = 256 << 10

    let cache: Cache
    let url: String
    /// Of the content, when it is known before.
    package let expectedBytes: Int64?
    /// What may go for it.
    let eviction: EvictionPolicy
    /// What it is a part of as long as it is not whole; `nil` where a part of it would be of no use.
    package let origin: PartOrigin?
    private let state: Mutex<State>

    private struct State {
        var memory: [UInt8] = []
        var file: SpooledFile?
        /// The file has all that came; until then `memory` has.
        var isSpooled = false
        var count: Int64 = 0
        var bookedBytes: Int64 = 0
        var digest = DigestBuilder()
        var isSettled = false
        /// From so many bytes on the next note is due.
        var noteDue = ArrivingContent.noteStep
    }

    /// - Parameter expectedBytes: of content with an origin, the length of the whole.
    init(
        cache: Cache, url: String, expectedBytes: Int64?, eviction: EvictionPolicy, origin: PartOrigin? = nil
    ) {
        self.cache = cache
        self.eviction = eviction
        self.url = url
        self.expectedBytes = expectedBytes
        self.origin = origin
        state = Mutex(State())
    }

    /// Content whose first `count` bytes are there already: `recall` reads them before anything is appended.
    init(
        cache: Cache, url: String, origin: PartOrigin, eviction: EvictionPolicy, file: SpooledFile, count: Int64
    ) {
        self.cache = cache
        self.eviction = eviction
        self.url = url
        self.origin = origin
        expectedBytes = origin.completeBytes
        state = Mutex(
            State(
                file: file, isSpooled: true, count: count, bookedBytes: origin.completeBytes,
                noteDue: count + Self.noteStep))
    }

    /// How much is there to be read.
    package var count: Int64 { state.withLock { $0.count } }
    /// The SHA-256 of all that came.
    package var digest: Digest { state.withLock { $0.digest.copyFinished() } }

    /// Reads what came before this value was made.
    ///
    /// - Returns: whether it has this digest.
    func recall(_ expected: Digest) throws(FileError) -> Bool {
        let (file, count) = state.withLock { ($0.file, $0.count) }
        guard let recalled = try file?.digest(ofFirst: count) else { return false }
        state.withLock { $0.digest = recalled }
        return recalled.copyFinished() == expected
    }

    /// Takes the next bytes. For one caller at a time; it blocks on the disk where `isInMemory` does not hold.
    ///
    /// - Returns: whether they were taken. Where not (no room in the quota or on the disk, an error of the disk), nothing
    ///   of them was, and nothing may be appended any more; what came before can still be read.
    package func append(_ bytes: [UInt8]) -> Bool {
        let (file, count, booked) = state.withLock { ($0.isSpooled ? $0.file : nil, $0.count, $0.bookedBytes) }
        let total = count + Int64(bytes.count)
        if file == nil, total <= Int64(Self.longestInMemory) {
            state.withLock { state in
                state.memory += bytes
                state.count = total
                state.digest.update(bytes)
            }
            return true
        }
        do {
            var target = file
            if target == nil || total > booked { target = try book(total, in: file) }
            guard let target else { return false }
            // Before anybody reads there: the readers have the memory until then.
            if file == nil { try target.write(state.withLock { $0.memory }, at: 0) }
            try target.write(bytes, at: count)
            state.withLock { state in
                state.isSpooled = true
                state.memory = []
                state.count = total
                state.digest.update(bytes)
            }
            noteArrival(total, in: target)
            return true
        } catch {
            // A fault of the cache is a miss: the content goes on to those who want it, and is not kept.
            return false
        }
    }

    /// Says in the file itself how much of it came.
    private func noteArrival(_ count: Int64, in file: SpooledFile) {
        guard let origin, count < origin.completeBytes else { return }
        let digest = state.withLock { state -> Digest? in
            guard count >= state.noteDue else { return nil }
            state.noteDue = count + Self.noteStep
            return state.digest.copyFinished()
        }
        guard let digest, let part = origin.part(count, digest), let note = PartNote.encode(url: url, part) else {
            return
        }
        do throws(FileError) {
            try file.write(note, at: PartNote.place(completeBytes: origin.completeBytes))
        } catch {
            // The former note holds, or none: the content itself is right.
        }
    }

    /// Whether so many more bytes are taken without any file.
    package func fitsInMemory(_ more: Int) -> Bool {
        state.withLock { !$0.isSpooled && $0.count + Int64(more) <= Int64(Self.longestInMemory) }
    }

    /// Books space for at least `total` bytes.
    private func book(_ total: Int64, in file: SpooledFile?) throws -> SpooledFile? {
        var goal = total + min(max(Self.firstStep, total / 4), Self.longestStep)
        // By the stated length at once: so what cannot be kept is not begun.
        if let expectedBytes { goal = max(total, expectedBytes) }
        var eviction = eviction
        if eviction.isBounded, let quotaBytes = cache.quotaBytes {
            // It may be without end: others make room for a quarter of the quota, and no more.
            if total > quotaBytes / 4 { eviction = .nothing } else { goal = max(total, min(goal, quotaBytes / 4)) }
        }
        let withNote = origin == nil ? goal : PartNote.fileBytes(completeBytes: goal)
        var booked = try cache.book(withNote, for: file, url: url, eviction: eviction)
        if booked == nil, goal > total, expectedBytes == nil {
            // Not in so great a step: as much as there is.
            goal = total
            booked = try cache.book(goal, for: file, url: url, eviction: eviction)
        }
        guard let booked else { return nil }
        state.withLock { state in
            // Kept from now on: whoever abandons this removes the file.
            state.file = booked
            state.bookedBytes = goal
        }
        return booked
    }

    /// Up to `maximumBytes` from `offset` on; nothing where nothing is there yet.
    package func read(at offset: Int64, maximumBytes: Int) throws -> [UInt8] {
        let (memory, file, count) = state.withLock { ($0.memory, $0.isSpooled ? $0.file : nil, $0.count) }
        let end = min(count, offset + Int64(maximumBytes))
        guard offset < end else { return [] }
        guard let file else { return Array(memory[Int(offset)..<Int(end)]) }
        return try file.read(at: offset, count: Int(end - offset))
    }

    /// Whether a read at this offset touches no file.
    package var isInMemory: Bool { state.withLock { !$0.isSpooled } }

    // MARK: The end

    /// Gives back the space of what is not going to come.
    func cut() throws {
        if let (file, count) = state.withLock({ state in state.file.map { ($0, state.count) } }) {
            try cache.cut(file, to: count)
        }
    }

    /// What may go for the entry, and for short content: how long it is is known by now.
    var evictionAtEnd: EvictionPolicy { eviction.atEnd }

    struct Finished {
        var digest: Digest
        var count: Int64
        /// Where there is no file.
        var memory: [UInt8]
        var file: SpooledFile?
    }

    /// What was gathered; for once.
    func takeFinished() -> Finished? {
        state.withLock { state in
            if state.isSettled { return nil }
            state.isSettled = true
            return Finished(
                digest: state.digest.copyFinished(), count: state.count, memory: state.memory, file: state.file)
        }
    }

    /// Throws away what was gathered. Who still reads it can go on.
    package func abandon() {
        guard let finished = takeFinished(), let file = finished.file else { return }
        cache.discard(file)
    }
}

/// An open file that is closed when the last one who uses it lets go of it.
final class SpooledFile: Sendable {
    let path: FilePath
    let file: OpenFile
    private let fileSystem: any FileSystem

    init(_ path: FilePath, _ file: OpenFile, _ fileSystem: any FileSystem) {
        self.path = path
        self.file = file
        self.fileSystem = fileSystem
    }

    deinit { fileSystem.closeQuietly(file) }

    func write(_ bytes: [UInt8], at offset: Int64) throws(FileError) {
        if !bytes.isEmpty { try fileSystem.writeAll(file, bytes, at: offset) }
    }

    func read(at offset: Int64, count: Int) throws(FileError) -> [UInt8] {
        try fileSystem.readPiece(file, at: offset, count: count)
    }

    /// - Returns: `nil` where it has fewer bytes.
    func digest(ofFirst count: Int64) throws(FileError) -> DigestBuilder? {
        var digest = DigestBuilder()
        var offset: Int64 = 0
        while offset < count {
            let piece = try read(at: offset, count: Int(min(count - offset, ArrivingContent.firstStep)))
            if piece.isEmpty { return nil }
            digest.update(piece)
            offset += Int64(piece.count)
        }
        return digest
    }
}

extension DigestBuilder {
    mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

    func copyFinished() -> Digest {
        let copy = self
        return copy.finish()
    }
}
