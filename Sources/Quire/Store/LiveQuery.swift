import CacheStore
import Disk
import FoundationEssentials
import Model
import OutboxStore
import SystemPackage

/// The results of a query, now and after each change, by any process.
///
///     import Foundation   // for #Predicate
///
///     let done = TestStatus.done
///     for try await tests in store.liveTests(matching: #Predicate { $0.item.status == done }) {
///         print(tests.count, "waiting")
///     }
///
/// The first result comes at once, each further one if it differs from the previous one. Changes between two reads are
/// merged. It may be iterated any number of times, also concurrently: a process watches with one inotify instance.
///
/// Noticed is whatever changes the files, by whatever program, in place or by `mv`: a test that is moved, an outbox that
/// is taken away, restored or put in another's place, a document in the cache that is edited or removed by hand, and that
/// the store's own folder is moved.
///
/// It ends when its task is cancelled, and it throws `StoreError.noStore` when the store is removed.
public struct LiveQuery<Element: Hashable & Sendable>: AsyncSequence, Sendable {
    let fileSystem: any FileSystem
    let folders: [FilePath]
    let shelves: [FilePath]
    let look: @Sendable () throws -> [Element]

    public func makeAsyncIterator() -> Iterator { Iterator(query: self) }

    public struct Iterator: AsyncIteratorProtocol {
        let query: LiveQuery
        private var watched: (changes: FolderChanges, stream: AsyncStream<Void>.Iterator)?
        private var last: [Element]?
        private var isOver = false

        init(query: LiveQuery) { self.query = query }

        /// The next result; `nil` when the task was cancelled.
        ///
        /// - Throws: the store's errors; `StoreError.noStore` if it was removed; `FileError` if its folders cannot be
        ///   watched: the system's limits are reached, or it is on a `FileSystem` that does not report changes.
        public mutating func next() async throws -> [Element]? {
            if isOver { return nil }
            do {
                if let found = try await nextResult() { return found }
            } catch {
                end()
                throw error
            }
            end()
            return nil
        }

        private mutating func end() {
            isOver = true
            watched = nil
        }

        private mutating func nextResult() async throws -> [Element]? {
            while !Task.isCancelled {
                let changes: FolderChanges
                if let watched {
                    guard await self.watched?.stream.next() != nil, !Task.isCancelled else { return nil }
                    changes = watched.changes
                } else {
                    changes = try query.fileSystem.changes(in: query.folders, andBelow: query.shelves)
                    watched = (changes, changes.stream.makeAsyncIterator())
                }
                let (query, path) = (query, query.fileSystem.root)
                let found = try await offload {
                    // Before the reading: everything later is a change.
                    try changes.renew()
                    if changes.isRootRemoved { throw StoreError.noStore(path) }
                    return try query.look()
                }
                if found == last { continue }
                last = found
                return found
            }
            return nil
        }
    }
}

extension QuireStore {
    /// The tests, and the tests after each change.
    ///
    /// - Parameters:
    ///   - predicate: those that it is true for; all when `nil`.
    ///   - precedes: which of two comes first; `nil` for the order in which they were started. With Foundation at hand,
    ///     a `SortDescriptor` gives it: `{ descriptor.compare($0, $1) == .orderedAscending }`.
    public func liveTests(
        matching predicate: Predicate<TestLine>? = nil,
        sortedBy precedes: (@Sendable (TestLine, TestLine) -> Bool)? = nil
    ) -> LiveQuery<TestLine> {
        LiveQuery(fileSystem: fileSystem, folders: OutboxLayout.statusFolders, shelves: []) { [self] in
            let found = try tests().filter { try predicate?.evaluate($0) ?? true }
            return precedes.map { found.sorted(by: $0) } ?? found
        }
    }

    /// The questionnaires on this device, and those after each change.
    ///
    /// - Parameters:
    ///   - predicate: those that it is true for; all when `nil`.
    ///   - precedes: which of two comes first; `nil` for the order by title, favourites before others.
    public func liveLibrary(
        matching predicate: Predicate<LibraryItem>? = nil,
        sortedBy precedes: (@Sendable (LibraryItem, LibraryItem) -> Bool)? = nil
    ) -> LiveQuery<LibraryItem> {
        liveQuestionnaires { store in
            let found = try store.library().filter { try predicate?.evaluate($0) ?? true }
            return precedes.map { found.sorted(by: $0) } ?? found
        }
    }

    /// The questionnaires that have all the words of `text`, as `search` finds and sorts them, and those after each change.
    ///
    /// - Parameter scope: the titles alone, or everything.
    public func liveSearch(
        _ text: String, in scope: Cache.SearchScope = .everything
    ) -> LiveQuery<LibraryItem> {
        liveQuestionnaires { try $0.search(text, in: scope).map(\.item) }
    }

    private func liveQuestionnaires(
        _ look: @escaping @Sendable (QuireStore) throws -> [LibraryItem]
    ) -> LiveQuery<LibraryItem> {
        LiveQuery(
            fileSystem: fileSystem, folders: StoreLayout.libraryFolders, shelves: [CacheLayout.blobs]
        ) { [self] in try look(self) }
    }
}
