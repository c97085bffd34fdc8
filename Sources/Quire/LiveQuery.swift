import Disk
import FoundationEssentials
import Model
import OutboxStore
import SystemPackage

/// What a query finds, and what it finds after each change, whichever process made it.
///
///     let done = TestStatus.done
///     for try await tests in store.liveTests(matching: #Predicate { $0.item.status == done }) {
///         print(tests.count, "waiting")
///     }
///
/// The first result comes at once, each further one when it differs from the one before. Changes that come while nobody
/// asks are one. It ends when its task is cancelled. It may be iterated any number of times.
public struct LiveQuery<Element: Hashable & Sendable>: AsyncSequence, Sendable {
    let root: FilePath
    let folders: [FilePath]
    let look: @Sendable () throws -> [Element]

    public func makeAsyncIterator() -> Iterator { Iterator(query: self) }

    public struct Iterator: AsyncIteratorProtocol {
        let query: LiveQuery
        private var changes: FolderChanges?
        private var stream: AsyncStream<Void>.Iterator?
        private var last: [Element]?

        init(query: LiveQuery) { self.query = query }

        /// The next result; `nil` when the task was cancelled.
        ///
        /// - Throws: what the store throws, `FileError` where its folders cannot be watched.
        public mutating func next() async throws -> [Element]? {
            let look = query.look
            while true {
                if stream != nil, await stream?.next() == nil || Task.isCancelled { return nil }
                // Before the look: what comes after it is a change. Anew each time, for a folder may have been made since.
                let made = try FolderChanges(query.folders, in: query.root)
                changes = made
                stream = made.stream.makeAsyncIterator()
                let found = try await offload { try look() }
                if found == last { continue }
                last = found
                return found
            }
        }
    }
}

extension QuireStore {
    /// The tests, and the tests after each change.
    ///
    /// - Parameters:
    ///   - predicate: those that it is true for; all when `nil`.
    ///   - precedes: which of two comes first; the order in which they were begun when `nil`. With Foundation at hand,
    ///     a `SortDescriptor` gives it: `{ descriptor.compare($0, $1) == .orderedAscending }`.
    public func liveTests(
        matching predicate: Predicate<TestLine>? = nil,
        sortedBy precedes: (@Sendable (TestLine, TestLine) -> Bool)? = nil
    ) -> LiveQuery<TestLine> {
        LiveQuery(root: path, folders: Outbox.statusFolders) { [self] in
            let found = try tests().filter { try predicate?.evaluate($0) ?? true }
            return precedes.map { found.sorted(by: $0) } ?? found
        }
    }

    /// The questionnaires on this device, and those after each change.
    ///
    /// - Parameters:
    ///   - predicate: those that it is true for; all when `nil`.
    ///   - precedes: which of two comes first; by title, favourites before others, when `nil`.
    public func liveLibrary(
        matching predicate: Predicate<LibraryItem>? = nil,
        sortedBy precedes: (@Sendable (LibraryItem, LibraryItem) -> Bool)? = nil
    ) -> LiveQuery<LibraryItem> {
        LiveQuery(root: path, folders: StoreLayout.libraryFolders) { [self] in
            let found = try library().filter { try predicate?.evaluate($0) ?? true }
            return precedes.map { found.sorted(by: $0) } ?? found
        }
    }
}
