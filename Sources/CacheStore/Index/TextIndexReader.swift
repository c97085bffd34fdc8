import Disk
import Model

/// Reads the index of texts: `WordSnapshot` in catalog.proto.
struct TextIndexReader {
    private let fileSystem: any FileSystem
    /// A longer file is not read.
    private let maximumBytes: Int64

    /// - Parameter records: the records whose texts it may have.
    init(_ fileSystem: any FileSystem, of records: [CatalogRecord]) {
        self.fileSystem = fileSystem
        maximumBytes = Self.longestFile(of: records)
    }

    private static let longestMessage = 2 * Questionnaire.maximumBytes + (64 << 10)

    /// The most bytes of the records' texts: folding makes a text longer only if it was written in few bytes.
    static func longestFile(of records: [CatalogRecord]) -> Int64 {
        let contentBytes = records.reduce(Int64(0)) { sum, record in
            sum + Int64(record.document == nil ? 0 : min(max(0, record.sizeBytes), Questionnaire.maximumBytes))
        }
        return CatalogIndex.leastBytes + 2 * contentBytes
    }

    /// - Parameter body: gets each segment and its message, in file order, before it is known whether the file is
    ///   intact.
    /// - Returns: whether it exists, is of this version, and matches its checksum. Otherwise the segments must be
    ///   discarded.
    func read(_ body: (WordSegment, UnsafeRawBufferPointer) throws(FieldReader.Fault) -> Void) -> Bool {
        do throws(FileError) {
            let file = try fileSystem.continuing { () throws(FileError) in
                try fileSystem.open(CacheLayout.texts, .read)
            }
            defer { fileSystem.closeQuietly(file) }
            let status = try fileSystem.status(file)
            guard status.kind == .regular, status.sizeBytes <= maximumBytes else { return false }
            let reader = IndexReader(fileSystem: fileSystem, file: file, longestMessage: Self.longestMessage)
            return try reader.eachMessage { message in
                do throws(FieldReader.Fault) {
                    try body(try WordSegment(message), message)
                    return true
                } catch {
                    return false
                }
            }
        } catch {
            // Missing or unreadable: it is rebuilt.
            return false
        }
    }
}
