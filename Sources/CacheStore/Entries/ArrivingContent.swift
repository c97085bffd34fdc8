import Disk
import Model
import Synchronization
import SystemPackage

/// Content on its way into the cache: one writer appends, any number of readers follow it, each at its own pace.
///
/// Short content is kept in memory. Longer content goes to a temporary file, whose space is allocated
/// (`FileSystem.allocate`) before the bytes arrive, under the cache's lock, so that every count sees it. A crash leaves
/// a temporary file whose lock is free, and never a blob. For content with an origin, the file ends with a note of the
/// received length (`PartNote`), from which recovery makes a part.
package final class ArrivingContent: Sendable {
    /// Shorter content has no temporary file.
    static let longestInMemory = 64 << 10
    /// The bytes allocated at a time where the length is not known.
    static let firstStep: Int64 = 1 << 20
    static let longestStep: Int64 = 64 << 20
    /// A crash loses at most this much of the received content.
    static let noteStep: Int64 = 256 << 10

    let cache: Cache
    let url: String
    /// The length of the content, if known in advance.
    package let expectedBytes: Int64?
    /// The entries that may be evicted for it.
    let eviction: EvictionPolicy
    /// The origin of incomplete content; `nil` where a part would be useless.
    package let origin: PartOrigin?
    private let state: Mutex<State>

    private struct State {
        var memory: [UInt8] = []
        var file: SpooledFile?
        /// Whether the file has all received bytes; until then `memory` has them.
        var isSpooled = false
        var count: Int64 = 0
        var bookedBytes: Int64 = 0
        var digest = DigestBuilder()
        var isSettled = false
        /// The next note is due at this length.
        var noteDue = ArrivingContent.noteStep
    }

    /// - Parameter expectedBytes: for content with an origin, the complete length.
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

    /// Content whose first `count` bytes are already stored: `recall` reads them before anything is appended.
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

    /// The number of readable bytes.
    package var count: Int64 { state.withLock { $0.count } }
    /// The SHA-256 of all received bytes.
    package var digest: Digest { state.withLock { $0.digest.copyFinished() } }

    /// Reads the bytes stored before this value was made.
    ///
    /// - Returns: whether they have this digest.
    func recall(_ expected: Digest) throws(FileError) -> Bool {
        let (file, count) = state.withLock { ($0.file, $0.count) }
        guard let recalled = try file?.digest(ofFirst: count) else { return false }
        state.withLock { $0.digest = recalled }
        return recalled.copyFinished() == expected
    }

    /// Appends the next bytes. For one caller at a time; blocks on the disk unless `isInMemory`.
    ///
    /// - Returns: whether they were stored. If not (no room in the quota or on the disk, a disk error), none of them
    ///   were, and nothing may be appended any more; earlier bytes stay readable.
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
            // Before the readers switch to the file: until then they read the memory.
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
            // An error of the cache is a miss: readers still get the content, and it is not stored.
            return false
        }
    }

    /// Writes the received length into the file itself.
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
            // The former note, or none, is still valid: the content itself is correct.
        }
    }

    /// Whether so many more bytes still fit into memory.
    package func fitsInMemory(_ more: Int) -> Bool {
        state.withLock { !$0.isSpooled && $0.count + Int64(more) <= Int64(Self.longestInMemory) }
    }

    /// Allocates space for at least `total` bytes.
    private func book(_ total: Int64, in file: SpooledFile?) throws -> SpooledFile? {
        var goal = total + min(max(Self.firstStep, total / 4), Self.longestStep)
        // The stated length at once, so that content too large to keep is never started.
        if let expectedBytes { goal = max(total, expectedBytes) }
        var eviction = eviction
        if eviction.isBounded, let quotaBytes = cache.quotaBytes {
            // It may be endless: at most a quarter of the quota is evicted for it.
            if total > quotaBytes / 4 { eviction = .nothing } else { goal = max(total, min(goal, quotaBytes / 4)) }
        }
        let withNote = origin == nil ? goal : PartNote.fileBytes(completeBytes: goal)
        var booked = try cache.responses.book(withNote, for: file, url: url, eviction: eviction)
        if booked == nil, goal > total, expectedBytes == nil {
            // The large step does not fit: take the space that is left.
            goal = total
            booked = try cache.responses.book(goal, for: file, url: url, eviction: eviction)
        }
        guard let booked else { return nil }
        state.withLock { state in
            // Stored here so that `abandon` removes the file.
            state.file = booked
            state.bookedBytes = goal
        }
        return booked
    }

    /// Up to `maximumBytes` from `offset` on; empty where no bytes have arrived yet.
    package func read(at offset: Int64, maximumBytes: Int) throws -> [UInt8] {
        let (memory, file, count) = state.withLock { ($0.memory, $0.isSpooled ? $0.file : nil, $0.count) }
        let end = min(count, offset + Int64(maximumBytes))
        guard offset < end else { return [] }
        guard let file else { return Array(memory[Int(offset)..<Int(end)]) }
        return try file.read(at: offset, count: Int(end - offset))
    }

    /// Whether a read at this offset uses no file.
    package var isInMemory: Bool { state.withLock { !$0.isSpooled } }

    // MARK: The end

    /// Releases the space of bytes that will not arrive.
    func cut() throws {
        if let (file, count) = state.withLock({ state in state.file.map { ($0, state.count) } }) {
            try cache.responses.cut(file, to: count)
        }
    }

    /// The entries that may be evicted for this entry, and for short content, whose length is known by now.
    var evictionAtEnd: EvictionPolicy { eviction.atEnd }

    struct Finished {
        var digest: Digest
        var count: Int64
        /// The content if there is no file.
        var memory: [UInt8]
        var file: SpooledFile?
    }

    /// The collected content; returned once.
    func takeFinished() -> Finished? {
        state.withLock { state in
            if state.isSettled { return nil }
            state.isSettled = true
            return Finished(
                digest: state.digest.copyFinished(), count: state.count, memory: state.memory, file: state.file)
        }
    }

    /// Discards the content. Readers can continue.
    package func abandon() {
        guard let finished = takeFinished(), let file = finished.file else { return }
        cache.responses.discard(file)
    }
}

/// An open file that is closed with its last reference.
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

    /// - Returns: `nil` if the file is shorter.
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
