import Model
import SwiftProtobuf

/// The form of an index file: a line that names the format, the SHA-256 of the payload, the payload. It is written
/// without a flush, so after a power cut it may be anything; then it is made again.
package enum CatalogIndex {
    private static let header = Array("quire-index 2\n".utf8)

    /// A longer file than its entries account for is not read: most records take a tenth of this.
    static let leastBytes: Int64 = 64 << 10
    static let plentyBytesOfRecord: Int64 = 8 << 10

    static func file(of payload: [UInt8]) -> [UInt8] { header(of: Digest(sha256Of: payload)) + payload }

    /// What stands before a payload with this checksum.
    static func header(of digest: Digest) -> [UInt8] { header + digest.bytes }

    /// What stands before the payload: the format's line and the checksum.
    static var headerBytes: Int { header.count + 32 }

    /// The checksum of the payload that follows; `nil` when it is no header of this version.
    static func digest(inHeader bytes: [UInt8]) -> Digest? {
        bytes.count == headerBytes && bytes.starts(with: header) ? Digest(bytes: bytes[header.count...]) : nil
    }

    /// The payload of an index file; `nil` when it is damaged or of another version.
    package static func payload(of file: [UInt8]) -> ArraySlice<UInt8>? {
        guard file.count >= headerBytes, let expected = digest(inHeader: Array(file[..<headerBytes])) else {
            return nil
        }
        let payload = file[headerBytes...]
        return Digest(sha256Of: payload) == expected ? payload : nil
    }

    /// The records of a snapshot; `nil` when it is none.
    package static func records(in payload: ArraySlice<UInt8>) -> [CatalogRecord]? {
        payload.withUnsafeBytes { bytes in
            var records: [CatalogRecord] = []
            var reader = FieldReader(bytes)
            do throws(FieldReader.Fault) {
                while let (number, value) = try reader.next() {
                    guard number == 1 else { return nil }
                    records.append(try CatalogRecord(packed: value.bytes()))
                }
            } catch {
                return nil
            }
            return records
        }
    }

    /// The folded texts of documents; `nil` when the payload is no snapshot of texts.
    package static func texts(in payload: ArraySlice<UInt8>) -> [Digest: String]? {
        guard let snapshot = try? Quire_Catalog_V1_TextSnapshot(serializedBytes: Array(payload)) else { return nil }
        var texts: [Digest: String] = [:]
        for document in snapshot.documents {
            if let digest = Digest(bytes: document.digest) { texts[digest] = document.foldedText }
        }
        return texts
    }
}
