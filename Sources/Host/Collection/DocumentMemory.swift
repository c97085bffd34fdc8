import Model
import Synchronization

/// The documents that were read lately, so that a class pulling at once costs one read. Bounded in bytes, but for the latest one.
final class DocumentMemory: Sendable {
    private struct Document {
        var stamp: FileStamp
        var published: PublishedQuestionnaire
        var gzip: [UInt8]?

        /// The text, about three times as much for what is decoded of it, and what each question takes.
        var chargedBytes: Int {
            published.content.count * 4 + published.questionnaire.questions.count * MemoryLayout<Question>.stride
                + (gzip?.count ?? 0)
        }
    }

    private struct State {
        var documents: [String: Document] = [:]
        /// File names, the latest one last.
        var order: [String] = []
        var chargedBytes = 0
    }

    static let maximumBytes = 8 << 20

    private let state = Mutex(State())

    func published(for entry: CatalogEntry) -> PublishedQuestionnaire? {
        state.withLock { $0.documents[entry.fileName].flatMap { $0.stamp == entry.stamp ? $0.published : nil } }
    }

    func gzip(for entry: CatalogEntry) -> [UInt8]? {
        state.withLock { $0.documents[entry.fileName].flatMap { $0.stamp == entry.stamp ? $0.gzip : nil } }
    }

    func keep(_ published: PublishedQuestionnaire, for entry: CatalogEntry) {
        keep(Document(stamp: entry.stamp, published: published), as: entry.fileName)
    }

    func keep(gzip: [UInt8], for entry: CatalogEntry) {
        let known = state.withLock { $0.documents[entry.fileName] }
        guard var document = known, document.stamp == entry.stamp else { return }
        document.gzip = gzip
        keep(document, as: entry.fileName)
    }

    private func keep(_ document: Document, as name: String) {
        state.withLock { state in
            if let former = state.documents.updateValue(document, forKey: name) {
                state.chargedBytes -= former.chargedBytes
                state.order.removeAll { $0 == name }
            }
            state.order.append(name)
            state.chargedBytes += document.chargedBytes
            var dropped = 0
            while state.chargedBytes > DocumentMemory.maximumBytes, dropped < state.order.count - 1 {
                if let oldest = state.documents.removeValue(forKey: state.order[dropped]) {
                    state.chargedBytes -= oldest.chargedBytes
                }
                dropped += 1
            }
            state.order.removeFirst(dropped)
        }
    }
}
