import Disk
import Model
import SwiftProtobuf

/// The cache's index files, in the form of `IndexFormat`.
///
/// The payload of the catalog starts with a `Preamble`, followed by `Snapshot` in catalog.proto. That of the texts is
/// `WordSnapshot`.
package enum CatalogIndex {
    static let format = IndexFormat("quire-index 6")

    /// A file longer than its entries justify is not read: most records have few translations, and take a tenth of what is left.
    static let leastBytes: Int64 = 64 << 10
    static let plentyBytesOfRecord: Int64 = (8 << 10) + Int64(DocumentSummary.mostBytesOfTranslations)

    /// The header of a payload with this checksum.
    static func header(of digest: Digest) -> [UInt8] { format.header(of: digest) }

    /// The length of the header: the format's line and the checksum.
    static var headerBytes: Int { format.headerBytes }

    /// The checksum of the payload that follows; `nil` for another version or format.
    static func digest(inHeader bytes: [UInt8]) -> Digest? { format.digest(inHeader: bytes) }

    /// The payload of an index file; `nil` if it is damaged or of another version.
    package static func payload(of file: [UInt8]) -> ArraySlice<UInt8>? {
        guard file.count >= headerBytes, let expected = digest(inHeader: Array(file[..<headerBytes])) else {
            return nil
        }
        let payload = file[headerBytes...]
        return Digest(sha256Of: payload) == expected ? payload : nil
    }

    /// The part before the records of the catalog.
    package struct Preamble: Hashable, Sendable {
        /// The folders' times when the records were valid; all zeros where a later change might leave them unchanged.
        package var folders: Digest?
        package var recordCount: Int

        package static let byteCount = 40

        package init(folders: Digest?, recordCount: Int) {
            self.folders = folders
            self.recordCount = recordCount
        }

        package init?(_ bytes: some Collection<UInt8>) {
            guard bytes.count >= Self.byteCount, let folders = Digest(bytes: bytes.prefix(32)) else { return nil }
            self.folders = folders.bytes.allSatisfy { $0 == 0 } ? nil : folders
            // The lowest byte first.
            let count = bytes.dropFirst(32).prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            recordCount = Int(clamping: count)
        }

        var bytes: [UInt8] {
            let count = UInt64(recordCount)
            return (folders?.bytes ?? [UInt8](repeating: 0, count: 32))
                + (0..<8).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
        }
    }

    /// The records of a snapshot; `nil` if it is malformed.
    package static func records(in payload: ArraySlice<UInt8>) -> [CatalogRecord]? {
        messages(in: payload) { message throws(FieldReader.Fault) in try CatalogRecord(packed: message) }
    }

    /// The documents of a payload's lines, each with its offset; `nil` if it is malformed.
    package static func lines(in payload: ArraySlice<UInt8>) -> [(document: ListedDocument?, recordOffset: Int64)]? {
        messages(in: payload) { line throws(FieldReader.Fault) in
            (try ListedDocument(packed: line), try ListedDocument.recordOffset(packed: line))
        }
    }

    /// The messages of field 1; `nil` if another field or a malformed one occurs.
    private static func messages<Message>(
        in payload: ArraySlice<UInt8>, _ read: (UnsafeRawBufferPointer) throws(FieldReader.Fault) -> Message
    ) -> [Message]? {
        payload.withUnsafeBytes { bytes in
            var messages: [Message] = []
            var reader = FieldReader(bytes)
            do throws(FieldReader.Fault) {
                while let (number, value) = try reader.next() {
                    guard number == 1 else { return nil }
                    messages.append(try read(value.bytes()))
                }
            } catch {
                return nil
            }
            return messages
        }
    }

    /// The words of documents' folded texts, each once, sorted by their bytes; `nil` if the payload is not an index of
    /// texts.
    package static func texts(in payload: ArraySlice<UInt8>) -> [Digest: String]? {
        let segments = messages(in: payload) { segment throws(FieldReader.Fault) in
            try WordSegment(segment).wordsOfDocuments()
        }
        return segments.map { segments in
            Dictionary(segments.joined().map { ($0.digest, $0.words.joined(separator: " ")) }) { first, _ in first }
        }
    }
}

extension IndexReader {
    init(fileSystem: any FileSystem, file: OpenFile, preambleBytes: Int = 0, longestMessage: Int) {
        self.init(
            CatalogIndex.format, file, in: fileSystem, preambleBytes: preambleBytes, longestMessage: longestMessage)
    }
}

extension IndexWriter {
    convenience init(_ fileSystem: any FileSystem, maximumBytes: Int64 = .max) throws(FileError) {
        try self.init(CatalogIndex.format, in: CacheLayout.index, fileSystem, maximumBytes: maximumBytes)
    }
}
