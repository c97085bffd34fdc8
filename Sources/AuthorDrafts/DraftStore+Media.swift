import Model

/// The pictures and sounds of drafts: with each, under the names that the document has for them. A file is written
/// once and never changed, and stays until the draft goes: an earlier state may name it.
///
/// All calls block on the disk.
extension DraftStore {
    package static let maximumMediaBytes = 16 << 20
    /// So many files a draft may have, those of its earlier states included.
    package static let mostMedia = 500

    /// Keeps a file durably, before a state of the draft names it.
    ///
    /// - Parameter type: as its bytes say.
    /// - Returns: the path that the document names it by; `nil` where the draft has too many already.
    package func keep(_ bytes: [UInt8], type: String, of id: TestID) throws -> ContentPath? {
        try withLock {
            let path = ContentPath(Digest(sha256Of: bytes), mediaType: type)
            guard try files.countFiles(of: id) < Self.mostMedia else { return nil }
            try files.put(bytes, file: path, of: id)
            return path
        }
    }

    /// The bytes of a file of the draft; `nil` where it has none of this name.
    package func media(_ path: ContentPath, of id: TestID) throws -> [UInt8]? {
        try files.bytes(file: path, of: id, maximumBytes: Int64(Self.maximumMediaBytes))
    }

    package func hasMedia(_ path: ContentPath, of id: TestID) throws -> Bool { try files.hasFile(path, of: id) }
}
