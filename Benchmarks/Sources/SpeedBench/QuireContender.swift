import CacheStore
import Dispatch
import Foundation
import HTTPCaching
import HTTPTypes
import OutboxStore
import Quire
import Synchronization
import SystemPackage

/// The same work through Quire's library.
struct QuireContender {
    static let remote = "http://127.0.0.1:8484"

    let corpus: URL
    let state: URL

    private func open() throws -> QuireStore { try QuireStore.open(at: FilePath(state.path)) }

    private func create() throws -> QuireStore {
        try QuireStore.create(
            at: FilePath(state.path), settings: StoreSettings(remote: Self.remote, deviceId: "bench"))
    }

    /// Opens an existing one.
    private func openOrCreate() throws -> QuireStore {
        FileManager.default.fileExists(atPath: state.appending(path: "store.json").path) ? try open() : try create()
    }

    // MARK: The cache

    private static func url(_ id: String) -> String { remote + "/v1/questionnaires/" + id }

    private func arrival(_ document: Corpus.Document) throws -> Cache.Arrival {
        let lifetimeSeconds: Int64 = 7_200_000
        let came = Timestamp(millisecondsSinceEpoch: document.expires - lifetimeSeconds * 1000)
        var fields = HTTPFields()
        fields[.cacheControl] = "max-age=\(lifetimeSeconds)"
        fields[.contentType] = "application/json"
        fields[.eTag] = "\"\(document.hex)\""
        return Cache.Arrival(
            url: Self.url(document.id), bytes: document.bytes, mediaType: "application/json",
            response: StoredResponse(status: 200, fields: fields, requestTime: came, responseTime: came),
            document: DocumentSummary(
                id: document.id, title: document.title, description: "", locale: nil, updatedAt: nil,
                questionCount: 1, media: []))
    }

    /// As many documents at once as there are threads.
    func fill(threads: Int) throws {
        let documents = try Corpus(corpus).documents
        let arrivals = try documents.map(arrival)
        let store = try create()
        let failures = Failures()
        Meter.measure(operations: arrivals.count) {
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                do {
                    for index in stride(from: thread, to: arrivals.count, by: threads) {
                        try store.cache.store(arrivals[index])
                    }
                } catch {
                    failures.note(error)
                }
            }
        }
        try failures.check()
        // As after weeks of use; a file's time is when it was last used.
        for document in documents {
            let path = FilePath(state.path).pushing(Cache.entryPath(url: Self.url(document.id)))
            var times = [timespec](
                repeating: timespec(tv_sec: Int(document.lastUsed / 1000), tv_nsec: 0), count: 2)
            utimensat(AT_FDCWD, path.string, &times, 0)
        }
        // What `quire pull` does at its end: the list is ready.
        _ = try store.cache.catalog.records()
        if CommandLine.arguments.contains("--search") { _ = try store.search("xx") }
    }

    /// Each content by its record, compared with its digest.
    func readAll() throws {
        let documents = try Corpus(corpus).shuffled()
        let store = try open()
        try Meter.measure(operations: documents.count) {
            let records = try store.cache.catalog.records()
            let byID = Dictionary(
                records.map { ($0.document?.id ?? "", $0) }, uniquingKeysWith: { first, _ in first })
            for document in documents {
                guard let record = byID[document.id] else { throw BenchError("\(document.id) is not there") }
                switch try store.cache.read(record.blob, sizeBytes: Int64(record.sizeBytes)) {
                case .miss(let reason): throw BenchError(reason)
                case .hit(.bytes(let bytes)):
                    guard bytes.count == record.sizeBytes else { throw BenchError("wrong length") }
                case .hit(.stream(let reader)): while try reader.next() != nil {}
                }
            }
        }
    }

    func trim() throws {
        let count = try Corpus(corpus).documents.count / 2
        let store = try open()
        let before = try store.cache.space.statistics().bytes
        try Meter.measure(operations: count) { _ = try store.cache.space.trim(toBytes: before / 2) }
    }

    func purge() throws {
        let store = try open()
        let count = try store.cache.space.statistics().stale
        try Meter.measure(operations: count) { _ = try store.cache.space.purge(.init(isStale: true)) }
    }

    // MARK: The outbox

    /// Finished tests with the corpus's answers, made and saved in one durable step each, or so many together.
    func commit(group: Int) throws {
        let records = try tests()
        let store = try openOrCreate()
        try Meter.measure(operations: records.count) {
            if group > 1 {
                for start in stride(from: 0, to: records.count, by: group) {
                    let batch = records[start..<min(start + group, records.count)]
                    _ = try store.outbox.edits.create(batch.map(\.questionnaire), deviceID: "bench", as: .done) {
                        $1.answers = batch[start + $0].answers
                    }
                }
                return
            }
            for record in records {
                _ = try store.outbox.edits.create(record.questionnaire, deviceID: "bench", as: .done) {
                    $0.answers = record.answers
                }
            }
        }
    }

    /// Through the three folders of a delivery.
    func move(group: Int) throws {
        let records = try tests()
        let store = try openOrCreate()
        let folder = FilePath(state.path).appending("outbox/done")
        var items: [OutboxItem] = []
        for (record, document) in zip(records, try Corpus(corpus).documents) {
            // Data's own writing flushes each file, which would be counted.
            let file = try FileDescriptor.open(
                folder.appending("\(record.id).test.json"), .writeOnly, options: .create, permissions: .ownerReadWrite)
            try file.closeAfter { _ = try file.writeAll(document.bytes) }
            items.append(OutboxItem(id: record.id, status: .done))
        }
        sync()
        guard let lock = try store.outbox.queue.acquireSweepLock() else {
            throw BenchError("another process is sweeping")
        }
        try Meter.measure(operations: 3 * items.count) {
            for start in stride(from: 0, to: items.count, by: group) {
                var claimed = try store.outbox.queue.claim(Array(items[start..<min(start + group, items.count)]), lock)
                for status in [TestStatus.sent, .rated] {
                    try store.outbox.queue.settle(
                        claimed.map { OutboxSettlement(move: OutboxMove($0, to: status), receipt: nil) }, lock)
                    claimed = claimed.map { OutboxItem(id: $0.id, status: status) }
                }
            }
        }
    }

    private func tests() throws -> [TestRecord] {
        try Corpus(corpus).documents.map { try DocumentCoding.decode(TestRecord.self, from: $0.bytes) }
    }
}

/// What went wrong in one of several threads.
private final class Failures: Sendable {
    private let first = Mutex<String?>(nil)

    func note(_ error: any Error) { first.withLock { if $0 == nil { $0 = "\(error)" } } }

    func check() throws {
        if let reason = first.withLock({ $0 }) { throw BenchError(reason) }
    }
}
