import Disk
import Model
import OutboxStore

/// What the local page keeps of the browsers that have access to it: the key of their cookies, and marks of those that proved
/// themselves or have no access any more.
package struct PageAccess: Sendable {
    let fileSystem: any FileSystem
    let outbox: Outbox

    /// The secret with which the page signs its cookies, so that a browser stays signed in when the page's process
    /// restarts. Made at the first call, readable by its owner alone; removing the file signs all browsers out.
    package func key() throws -> [UInt8] {
        if let key = try readKey() { return key }
        var generator = SystemRandomNumberGenerator()
        let made = (0..<Self.keyBytes).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try outbox.makeFolders()
        let isMade = try fileSystem.writeDurablyIfAbsent(
            Array(Hexadecimal.encode(made).utf8) + [UInt8(ascii: "\n")], to: StoreLayout.pageKey,
            temporaryFolder: StoreLayout.temporary)
        if isMade { return made }
        // Another process was faster, or the existing file is damaged: the former is correct, the latter is replaced.
        if let key = try readKey() { return key }
        try fileSystem.removeIfPresent(StoreLayout.pageKey)
        return try key()
    }

    /// Notes durably that the page named a place at which a browser proves itself; false where it was named before.
    package func spendReturn(_ mark: String) throws -> Bool {
        try outbox.makeFolders()
        try fileSystem.makeDurableFolder(StoreLayout.pageReturns)
        return try fileSystem.writeDurablyIfAbsent(
            [], to: StoreLayout.pageReturn(mark), temporaryFolder: StoreLayout.temporary)
    }

    /// Notes durably, and for good, that a browser has no access to the page any more.
    package func close(_ mark: String) throws {
        try outbox.makeFolders()
        try fileSystem.makeDurableFolder(StoreLayout.pageReturns)
        _ = try fileSystem.writeDurablyIfAbsent(
            [], to: StoreLayout.closedPageAccess(mark), temporaryFolder: StoreLayout.temporary)
    }

    package func isClosed(_ mark: String) throws -> Bool {
        try fileSystem.status(at: StoreLayout.closedPageAccess(mark)) != nil
    }

    /// Whether the access of any browser was closed.
    package func hasClosed() throws -> Bool {
        guard try fileSystem.status(at: StoreLayout.pageReturns)?.kind == .folder else { return false }
        return try fileSystem.list(StoreLayout.pageReturns).contains { StoreLayout.isClosedPageAccess($0.name) }
    }

    /// Removes the notes of `spendReturn` that no browser's cookie is old enough for.
    package func forgetReturns(before moment: Timestamp) throws {
        let entries: [FolderEntry]
        do throws(FileError) { entries = try fileSystem.list(StoreLayout.pageReturns) } catch {
            if error.isMissing { return }
            throw error
        }
        for entry in entries where !StoreLayout.isClosedPageAccess(entry.name) {
            let path = StoreLayout.pageReturns.appending(name: entry.name)
            guard let status = try fileSystem.status(at: path), status.kind == .regular,
                status.modifiedNanoseconds < moment.nanosecondsSinceEpoch
            else { continue }
            try fileSystem.removeIfPresent(path)
        }
    }

    private static let keyBytes = 32

    private func readKey() throws -> [UInt8]? {
        do throws(FileError) {
            let (bytes, status) = try fileSystem.readFile(StoreLayout.pageKey, maximumBytes: 4096)
            // Others may have read it: then it is no secret any more.
            guard status.permissions.isDisjoint(with: [.groupReadWriteExecute, .otherReadWriteExecute]) else {
                return nil
            }
            let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
            return Hexadecimal.decode(text).flatMap { $0.count == Self.keyBytes ? $0 : nil }
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }
}
