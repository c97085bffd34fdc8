import Disk
import Model

/// Reads the index of texts: `WordSnapshot` in catalog.proto.
struct TextIndexReader {
    private let fileSystem: any FileSystem
    /// A longer file is not read.
    private let maximumBytes: Int64

    /// - Parameter records: whose texts it may have.
    init(_ fileSystem: any FileSystem, of records: [CatalogRecord]) {
        self.fileSystem = fileSystem
        maximumBytes = Self.longestFile(of: records)
    }

    private static let longestMessage = 2 * Questionnaire.maximumBytes + (64 << 10)

    /// What the texts of the records may take: folding makes a text longer only where it is written in few bytes.
    static func longestFile(of records: [CatalogRecord]) -> Int64 {
        let contentBytes = records.reduce(Int64(0)) { sum, record in
            sum + Int64(record.document == nil ? 0 : min(max(0, record.sizeBytes), Questionnaire.maximumBytes))
        }
        return CatalogIndex.leastBytes + 2 * contentBytes
    }

    /// - Parameter body: gets each segment and its message, in the order of the file, before it is known whether the file is whole.
    /// - Returns: whether it was: there, of this version, and what its checksum says. Otherwise nothing of it counts.
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
            // Missing or unreadable: it is made again.
            return false
        }
    }
}
