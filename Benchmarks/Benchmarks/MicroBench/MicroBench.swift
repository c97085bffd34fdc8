import Benchmark
import CacheStore
import Disk
import Foundation
import HTTPCaching
import HTTPTypes
import Quire
import SystemPackage

/// The hot functions, one by one: gzip, JSON, an entry's reading, the index's loading, the folding of text, the decision on freshness.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput, .peakMemoryResident], maxDuration: .seconds(3), maxIterations: 100_000)

    let document = Sample.document(questions: 40)

    Benchmark("gzip: compress 12 KB") { benchmark in
        for _ in benchmark.scaledIterations { blackHole(try Gzip.compress(document)) }
    }

    Benchmark("gzip: decompress 12 KB") { benchmark in
        let packed = try Gzip.compress(document)
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            blackHole(try Gzip.decompress(packed, maximumBytes: 1 << 22))
        }
    }

    Benchmark("JSON: read a questionnaire of 12 KB") { benchmark in
        for _ in benchmark.scaledIterations { blackHole(try Questionnaire(json: document)) }
    }

    Benchmark("JSON: the same by JSONDecoder") { benchmark in
        let data = Data(document)
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { blackHole(try JSONDecoder().decode(Questionnaire.self, from: data)) }
    }

    Benchmark("entry: read by its URL") { (benchmark, store: QuireStore) in
        for _ in benchmark.scaledIterations { blackHole(try store.cache.entry(url: Sample.url(50))) }
    } setup: {
        try Sample.store(documents: 100)
    } teardown: {
        Sample.removeStores()
    }

    Benchmark("index: load and check 1 000 entries") { (benchmark, store: QuireStore) in
        for _ in benchmark.scaledIterations { blackHole(try store.cache.catalog.records()) }
    } setup: {
        let store = try Sample.store(documents: 1000)
        _ = try store.cache.catalog.records()
        return store
    } teardown: {
        Sample.removeStores()
    }

    Benchmark("fold: 12 KB of Latin and Cyrillic") { benchmark in
        let text = String(decoding: document, as: UTF8.self)
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { blackHole(TextFolding.foldedBytes(text)) }
    }

    Benchmark("freshness: one decision") { benchmark in
        let stored = Sample.response
        let now = Timestamp(millisecondsSinceEpoch: 1_790_000_600_000)
        let request = HTTPFields([HTTPField(name: .acceptEncoding, value: "gzip")])
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            blackHole(CacheDecision.decide(now: now, request: request, stored: stored, network: .away))
        }
    }
}

/// What the functions are given.
enum Sample {
    static func url(_ index: Int) -> String { "http://127.0.0.1:8484/v1/questionnaires/q\(index)" }

    static var response: StoredResponse {
        let came = Timestamp(millisecondsSinceEpoch: 1_790_000_000_000)
        var fields = HTTPFields()
        fields[.cacheControl] = "max-age=3600, stale-while-revalidate=60"
        fields[.eTag] = "\"3fa9\""
        fields[.date] = "Tue, 22 Sep 2026 13:33:20 GMT"
        return StoredResponse(status: 200, fields: fields, requestTime: came, responseTime: came)
    }

    static func document(questions: Int) -> [UInt8] {
        var text = "{\n  \"id\": \"q\",\n  \"title\": \"По грибы\",\n  \"questions\": [\n"
        for number in 1...questions {
            text += """
                \(number == 1 ? "" : ",")    {"id": "q\(number)", "text": "Which of these \(number * 7919 % 101) is the one? \
                Какой из этих \(number * 104_729 % 997) грибов съедобен?", "kind": "choice",
                  "options": ["Подберёзовик \(number)", "Бледная поганка", "Chanterelle", "None of them \(number * 31)"]}

                """
        }
        return Array((text + "  ]\n}\n").utf8)
    }

    /// Of this process.
    private static let folder = FileManager.default.temporaryDirectory
        .appending(path: "quire-micro-\(UUID().uuidString)")

    static func removeStores() { try? FileManager.default.removeItem(at: folder) }

    static func store(documents: Int) throws -> QuireStore {
        let store = try QuireStore.create(
            at: FilePath(folder.path), settings: StoreSettings(remote: "http://127.0.0.1:8484", deviceId: "micro"))
        for index in 0..<documents {
            let bytes = Array("{\"id\":\"q\(index)\",\"title\":\"Title \(index)\",\"questions\":[]}".utf8)
            try store.cache.store(
                .init(
                    url: url(index), bytes: bytes, mediaType: "application/json", response: response,
                    document: DocumentSummary(
                        id: "q\(index)", title: "Title \(index)", description: "", locale: nil, updatedAt: nil,
                        questionCount: 0, media: [])))
        }
        return store
    }
}
