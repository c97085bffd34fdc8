import Disk
import HTTPCaching
import Model
import Simulation
import Testing

@testable import CacheStore

@Suite("The form of the index")
struct CatalogFormatTests {
    /// Made by SwiftProtobuf from the schema.
    private func message(_ random: inout SeededGenerator) -> Quire_Catalog_V1_Record {
        let texts = [
            "", "a", "Ёлка и 🦊", "https://school.example/v1/questionnaires/колобок",
            String(repeating: "long ", count: 90),
        ]
        func text() -> String { texts[random.below(texts.count)] }
        func number() -> Int64 { [0, 1, -1, 300, .max, .min, 1_790_000_000_000][random.below(7)] }
        func stamp() -> Quire_Catalog_V1_FileStamp {
            .with {
                $0.inode = UInt64(bitPattern: number())
                $0.sizeBytes = number()
                $0.modifiedNanoseconds = number()
            }
        }
        func digest() -> Digest { Digest(sha256Of: [UInt8(random.below(256))]) }
        return .with {
            $0.entryName = text()
            $0.entryStamp = stamp()
            if random.below(2) == 0 { $0.blobStamp = stamp() }
            $0.url = text()
            $0.digest = .init(digest().bytes)
            $0.blobExtension = ["json", "png", "mp3"][random.below(3)]
            $0.blobCompressed = random.below(2) == 0
            $0.mediaType = text()
            $0.sizeBytes = number()
            $0.responseTimeMs = number()
            $0.freshUntilMs = number()
            $0.edited = random.below(2) == 0
            $0.gone = random.below(2) == 0
            $0.foldedTitle = text()
            $0.sortKey = text()
            $0.otherBlobs = (0..<random.below(3)).map { _ in
                CacheLayout.BlobName(digest: digest(), fileExtension: "json", isCompressed: true).relativePath
            }
            guard random.below(4) > 0 else { return }
            $0.document = .with {
                $0.id = text()
                $0.title = text()
                $0.description_p = text()
                $0.locale = text()
                $0.questionCount = Int32(truncatingIfNeeded: number())
                if random.below(2) == 0 { $0.updatedAtMs = number() }
                $0.mediaUrls = (0..<random.below(3)).map { _ in text() }
            }
        }
    }

    private func read(_ bytes: [UInt8]) throws -> CatalogRecord {
        try bytes.withUnsafeBytes { try CatalogRecord(packed: $0) }
    }

    @Test("what SwiftProtobuf writes is read field by field, and written again as it was")
    func roundTrip() throws {
        var random = SeededGenerator(seed: 1)
        for round in 0..<500 {
            let written = message(&random)
            let record = try read(try written.serializedBytes())
            #expect(record.message == written, "round \(round)")
            #expect(record.blobStamp == nil || written.hasBlobStamp, "round \(round)")
            #expect(record.document?.updatedAt == nil || written.document.hasUpdatedAtMs, "round \(round)")
        }
    }

    @Test("a record that is cut or has another byte is read or refused; a field of the future does not count")
    func damage() throws {
        var random = SeededGenerator(seed: 2)
        var refused = 0
        for _ in 0..<40 {
            let bytes: [UInt8] = try message(&random).serializedBytes()
            for end in bytes.indices where (try? read(Array(bytes[..<end]))) == nil { refused += 1 }
            for place in bytes.indices {
                var other = bytes
                other[place] ^= UInt8(1 << random.below(8))
                if (try? read(other)) == nil { refused += 1 }
            }
            // Field 99: a number, and one with a length.
            #expect(try read(bytes + [0x98, 0x06, 0x05] + [0x9A, 0x06, 0x01, 0x41]) == read(bytes))
        }
        #expect(refused > 1000)
    }
}

extension SeededGenerator {
    fileprivate mutating func below(_ bound: Int) -> Int { .random(in: 0..<bound, using: &self) }
}
