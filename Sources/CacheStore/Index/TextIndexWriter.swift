import Disk
import Model

/// Builds the index of texts from new documents, and from the former index for those that still exist. Without a new
/// text nothing is written.
///
/// Failures here are not reported: the next search reads missing texts from the documents.
final class TextIndexWriter {
    private let space: IndexSpace
    private var segments: [[UInt8]] = []
    private var builder = WordSegment.Builder()
    private var added: Set<Digest> = []

    /// Segments of fewer documents are merged.
    private static let fewDocuments = WordSegment.mostDocuments / 4

    init(_ space: IndexSpace) { self.space = space }

    func add(_ digest: Digest, _ text: String) {
        guard space.isOpen, added.insert(digest).inserted else { return }
        builder.add(digest, text)
        endSegmentIfFull()
    }

    private func endSegmentIfFull() {
        guard builder.isFull else { return }
        segments.append(builder.encoded())
        builder = WordSegment.Builder()
    }

    /// Writes the index with the texts of `records`, and renames it to its final name.
    func finish(keepingTextsOf records: [CatalogRecord]) {
        guard !added.isEmpty else { return }
        let kept = Set(records.lazy.map(\.digest)).subtracting(added)
        let former = former(kept, of: records)
        if !builder.isEmpty { segments.append(builder.encoded()) }
        do {
            let all = former + segments
            if try space.write(CacheLayout.texts, beside: [], { for segment in all { try $0.append(segment) } }) != nil
            {
                return
            }
            // As much as fits; a search reads the other documents.
            try space.write(CacheLayout.texts, beside: []) { writer in
                for segment in all {
                    do { try writer.append(segment) } catch is IndexWriter.NoRoom { continue }
                }
            }
        } catch {
            // The next search reads the documents.
        }
    }

    /// The segments of the former index that are still mostly used; documents of the others go into a new one.
    private func former(_ kept: Set<Digest>, of records: [CatalogRecord]) -> [[UInt8]] {
        var segments: [[UInt8]] = []
        var others: [(digest: Digest, words: [String])] = []
        let isWhole = TextIndexReader(space.fileSystem, of: records).read {
            (segment, message) throws(FieldReader.Fault) in
            let count = segment.digests.count { kept.contains($0) }
            if count >= Self.fewDocuments, count * 2 >= segment.digests.count {
                segments.append(FieldWriter.framed(message))
            } else if count > 0 {
                others += try segment.wordsOfDocuments().filter { kept.contains($0.digest) }
            }
        }
        // The content of a damaged index does not count.
        guard isWhole else { return [] }
        for (digest, words) in others {
            builder.add(digest, words: words)
            endSegmentIfFull()
        }
        return segments
    }
}
