import Disk
import Model
import SystemPackage

extension OpenContent {
    /// The content of an object that is being read. Reading it blocks on the store: see `BlockingCall`.
    package convenience init(_ body: ObjectBody, of path: FilePath, in store: any ObjectStore) {
        self.init(sizeBytes: body.sizeBytes, modified: body.modified, ObjectPieces(store, path, body), path, store)
    }

    /// The content of an object, which is asked for with its first piece.
    package convenience init(_ status: ObjectStatus, in store: any ObjectStore) {
        let path = FilePath(status.name.text)
        self.init(
            sizeBytes: status.sizeBytes, modified: status.modified, ObjectPieces(store, path, nil), path, store)
    }

    private convenience init(
        sizeBytes: Int64, modified: Timestamp, _ pieces: ObjectPieces, _ path: FilePath, _ store: any ObjectStore
    ) {
        self.init(sizeBytes: sizeBytes, modified: modified) { (offset, count) throws(FileError) in
            try BlockingCall.wait(store, path) { _ throws(ObjectStoreError) in
                try await pieces.piece(at: offset, count: count)
            }
        }
    }
}

/// A long object that is read from its beginning to its end, mostly: a piece that follows the last one needs no request of its
/// own.
package actor ObjectPieces {
    private let store: any ObjectStore
    private let path: FilePath
    /// `nil` before the first piece, while one is waited for, and after a failure.
    private var body: ObjectBody?
    private var offset: Int64 = 0
    private var rest: ArraySlice<UInt8> = []

    /// - Parameter body: from its beginning, where it was asked for already.
    package init(_ store: any ObjectStore, _ path: FilePath, _ body: ObjectBody?) {
        self.store = store
        self.path = path
        self.body = body
    }

    /// At most `count` bytes from an offset on; empty at the end.
    package func piece(at wanted: Int64, count: Int) async throws(ObjectStoreError) -> [UInt8] {
        if wanted != offset || body == nil {
            guard let name = ObjectName(path.string),
                let found = try await store.get(name, range: wanted..<Int64.max / 2)
            else { throw ObjectStoreError(.interrupted, "\(store.place)/\(path) was removed while it was read") }
            (body, offset, rest) = (found, wanted, [])
        }
        if rest.isEmpty, let current = body {
            body = nil
            guard let piece = try await current.next() else {
                body = current
                return []
            }
            (body, rest) = (current, piece[...])
        }
        let piece = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        offset += Int64(piece.count)
        return piece
    }
}
