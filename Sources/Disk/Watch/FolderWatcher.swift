import CLinux
import Dispatch
import Glibc
import Synchronization
import SystemPackage

/// The single inotify instance of this process, shared by all watchers: a user may have 128 instances in all programs
/// together, and any number of watches.
final class FolderWatcher: Sendable {
    static let shared = FolderWatcher()

    /// The events of a folder that a watcher wants.
    struct Interest {
        /// The inotify mask.
        var mask: UInt32
        var role: Role
    }

    enum Role: Comparable {
        /// The removal of the root, which is in this folder.
        case above
        /// Folders that are added or removed in it.
        case way
        /// All changes in it.
        case content
    }

    private struct State {
        var descriptor: Int32 = -1
        /// The interested watchers by watch. All that name the same folder share one watch.
        var interests: [Int32: [ObjectIdentifier: (inbox: Inbox, interest: Interest)]] = [:]
    }

    private let state = Mutex(State())
    /// Held from reading events until they are delivered.
    private let delivery = Mutex(())
    // Proof: it is only written to, once, under the lock of the state, and a dispatch source may be used from any thread.
    nonisolated(unsafe) private var source: (any DispatchSourceRead)?

    private static let selfEvents = UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
    private static let nameEvents =
        UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)

    static func interest(_ role: Role) -> Interest {
        let content = UInt32(IN_CLOSE_WRITE) | UInt32(IN_ATTRIB) | UInt32(IN_MODIFY)
        return switch role {
        case .content: Interest(mask: nameEvents | selfEvents | content, role: role)
        case .way: Interest(mask: nameEvents | selfEvents, role: role)
        // The kernel reports the removal of the root itself only when its last descriptor is closed.
        case .above: Interest(mask: UInt32(IN_DELETE), role: role)
        }
    }

    /// Watches a folder for one more watcher, or again for the same one.
    ///
    /// - Returns: the watch; `nil` for a missing folder, and for a link in its place.
    func watch(_ path: String, _ role: Role, for inbox: Inbox, named name: FilePath) throws(FileError) -> Int32? {
        try state.withLock { state throws(FileError) in
            try begin(&state, named: name)
            let interest = Self.interest(role)
            let how = UInt32(IN_ONLYDIR) | UInt32(IN_DONT_FOLLOW) | UInt32(IN_MASK_ADD)
            let watch = inotify_add_watch(state.descriptor, path, interest.mask | how)
            if watch < 0 {
                if errno == ENOENT || errno == ENOTDIR || errno == ELOOP { return nil }
                throw FileError(FileError.watching, name, .current)
            }
            let key = ObjectIdentifier(inbox)
            if let former = state.interests[watch]?[key], former.interest.role > role { return watch }
            state.interests[watch, default: [:]][key] = (inbox, interest)
            return watch
        }
    }

    /// Ends the watches of a watcher that are not in `kept`.
    func keep(_ kept: Set<Int32>, of former: Set<Int32>, for inbox: Inbox) {
        state.withLock { state in
            for watch in former.subtracting(kept) {
                guard state.interests[watch]?.removeValue(forKey: ObjectIdentifier(inbox)) != nil,
                    state.interests[watch]?.isEmpty == true
                else { continue }
                state.interests[watch] = nil
                // It fails for a removed folder, whose watch is gone already.
                inotify_rm_watch(state.descriptor, watch)
            }
        }
    }

    private func begin(_ state: inout State, named name: FilePath) throws(FileError) {
        if state.descriptor >= 0 { return }
        let made = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        if made < 0 { throw FileError(FileError.watching, name, .current) }
        state.descriptor = made
        let queue = DispatchQueue(label: "quire.folders")
        let source = DispatchSource.makeReadSource(fileDescriptor: made, queue: queue)
        source.setEventHandler { [self] in delivery.withLock { _ in tell(made) } }
        source.activate()
        self.source = source
    }

    // MARK: Notifying

    /// Delivers all changes so far. The kernel queues an event before the call that caused it returns, so every change
    /// made before this call is delivered when it returns.
    func deliver() {
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { delivery.withLock { _ in tell(descriptor) } }
    }

    /// Reads events and notifies the interested watchers, each once.
    private func tell(_ descriptor: Int32) {
        var told: [ObjectIdentifier: (inbox: Inbox, news: Inbox.News)] = [:]
        while true {
            let events = Self.events(descriptor)
            if events.isEmpty { break }
            state.withLock { state in
                for event in events {
                    // The kernel's queue overflowed: the changes are unknown.
                    let isLost = event.mask & UInt32(IN_Q_OVERFLOW) != 0
                    let concerned = isLost ? Array(state.interests.values) : [state.interests[event.watch] ?? [:]]
                    for (key, (inbox, interest)) in concerned.joined() {
                        guard let news = isLost ? .places : Self.news(event.mask, interest) else { continue }
                        inbox.names?.note(event.name, in: event.watch, isNamed: !isLost && news == .content)
                        told[key] = (inbox, max(news, told[key]?.news ?? news))
                    }
                    if event.mask & UInt32(IN_IGNORED) != 0 { state.interests[event.watch] = nil }
                }
            }
        }
        for (inbox, news) in told.values { inbox.put(news) }
    }

    private static func news(_ mask: UInt32, _ interest: Interest) -> Inbox.News? {
        if mask & UInt32(IN_IGNORED) != 0 { return interest.role == .above ? nil : .places }
        guard mask & interest.mask != 0 else { return nil }
        let isFolder = mask & UInt32(IN_ISDIR) != 0
        return switch interest.role {
        case .above: isFolder ? .root : nil
        case .way: isFolder || mask & selfEvents != 0 ? .places : nil
        case .content: mask & selfEvents != 0 || isFolder && mask & nameEvents != 0 ? .places : .content
        }
    }

    private static func events(_ descriptor: Int32) -> [(watch: Int32, mask: UInt32, name: String)] {
        var events: [(watch: Int32, mask: UInt32, name: String)] = []
        withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            var offset = 0
            while offset < count {
                let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                offset += MemoryLayout<inotify_event>.size
                // Zeros pad the name up to its field's end.
                let field = UnsafeRawBufferPointer(rebasing: buffer[offset..<offset + Int(event.len)])
                events.append((event.wd, event.mask, String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)))
                offset += Int(event.len)
            }
        }
        return events
    }
}

/// The place where a watcher finds that something has changed.
final class Inbox: Sendable {
    enum News: Comparable {
        /// A folder was removed from the root's parent: perhaps the root.
        case root
        case content
        /// Folders were added or removed: the watches must be updated.
        case places
    }

    let files: POSIXFileSystem
    /// For a watcher that also needs the names.
    let names: NoteOfNames?
    let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let areFoldersOther = Atomic(false)

    init(_ files: POSIXFileSystem, names: NoteOfNames? = nil) {
        self.files = files
        self.names = names
        (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    func put(_ news: News) {
        if news == .root, !files.isRootRemoved { return }
        if news == .places { areFoldersOther.store(true, ordering: .releasing) }
        continuation.yield()
    }

    /// Whether folders were added or removed since the last call.
    func takeWhetherFoldersAreOther() -> Bool { areFoldersOther.exchange(false, ordering: .acquiring) }

    func finish() { continuation.finish() }
}
