import Model

/// One record of a snapshot: a line of JSON, or a protobuf message. Both forms have the same members.
enum SnapshotRecord: Hashable, Sendable {
    case header(SnapshotHeader)
    /// Paths of files that follow.
    case manifest([String])
    case file(File)
    case piece(Piece)
    case end(End)
    /// Only in a snapshot that continues another: paths of files that are as they are there.
    case unchanged([String])
    /// Files of the snapshot that this one continues which are changed or gone here, and earlier versions of tests.
    case former([FileDigest])
    /// Paths of the manifest that are not in the snapshot: files that were removed while it was written, and entries of a
    /// cache whose content only passed through.
    case absent([String])
    /// Of a later version of the format; it is skipped.
    case unknown

    /// A file with its content, or with the number of pieces that follow.
    struct File: Hashable, Sendable {
        /// Below the folder that the snapshot is of. Where it ends in `.gz`, everything else speaks of what it unpacks to.
        var path: String
        var modified: Timestamp
        var sizeBytes: Int64
        var digest: Digest
        /// `nil` where pieces follow.
        var content: [UInt8]?
        var pieces = 0

        /// The file's line in what the final digest of version 1 is computed of, as `sha256sum` prints it.
        var digestLine: String { FileDigest(path: path, digest: digest).line + "\n" }
    }

    struct Piece: Hashable, Sendable {
        var path: String
        var offset: Int64
        var content: [UInt8]
    }

    struct End: Hashable, Sendable, Codable {
        var files: Int
        /// SHA-256 of all records before this one; in version 1 of all files' lines, in order.
        var digest: Digest
        /// Only in version 1.
        var absent: [String]?
    }
}

/// The description of a snapshot, in its first record.
package struct SnapshotHeader: Hashable, Sendable, Codable {
    /// The version that this program writes; a greater number is rejected.
    static let currentVersion = 2

    package enum Content: String, Hashable, Sendable, Codable {
        case store, host
    }

    package var version = Self.currentVersion
    package var content: Content
    /// The format of the store's folder; absent for a host's data.
    package var storeFormat: Int?
    package var createdAt: Timestamp
    package var deviceId: String?
    package var withCache: Bool
    package var withSecrets: Bool
    /// The final digest of the snapshot that this one continues; `nil` for a complete one.
    package var since: Digest?
}

/// The two forms of a snapshot's records.
package enum SnapshotFormat: String, Sendable, CaseIterable {
    /// A line of JSON each.
    case json
    /// A length-delimited protobuf message each (snapshot.proto).
    case protobuf
}

/// Why a file cannot be read as a snapshot, or a snapshot not be restored.
package struct SnapshotFault: DescribedError, Hashable, Sendable {
    package let file: String
    package let reason: String

    init(_ file: String, _ reason: String) {
        self.file = file
        self.reason = reason
    }

    package var description: String { "\(file): \(reason)" }
}
