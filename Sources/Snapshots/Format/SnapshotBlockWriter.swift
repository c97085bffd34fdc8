import Dispatch
import Model
import Synchronization

/// Encodes the records of a snapshot beside the work of its caller, on several cores, and writes them in their order.
final class SnapshotBlockWriter {
    /// So much is encoded together, by content and by number: with more a save takes more memory and no less time.
    private static let batchBytes = 1 << 20
    private static let batchRecords = 64

    private let format: SnapshotFormat
    private let identity = UInt64.random(in: .min ... .max)
    private let write: ([UInt8]) throws -> Void
    private var batch: [SnapshotRecord] = []
    private var batchBytes = 0
    private var running: EncodedBatch?
    private var digest = DigestBuilder()

    /// - Parameter write: takes the bytes of the snapshot, in order.
    init(_ format: SnapshotFormat, to write: @escaping ([UInt8]) throws -> Void) {
        self.format = format
        self.write = write
    }

    func put(_ record: SnapshotRecord) throws {
        batch.append(record)
        batchBytes += record.contentBytes
        if batch.count == Self.batchRecords || batchBytes >= Self.batchBytes { try encodeBatch() }
    }

    /// Writes what was put so far, and a last record with the digest of all of it.
    func finish(_ end: (Digest) -> SnapshotRecord) throws -> Digest {
        try encodeBatch()
        try writeRunning()
        let digest = digest.finish()
        try write(SnapshotBlock.encode(end(digest), format, snapshot: identity))
        return digest
    }

    private func encodeBatch() throws {
        try writeRunning()
        running = EncodedBatch(batch, format, snapshot: identity)
        batch.removeAll(keepingCapacity: true)
        batchBytes = 0
    }

    private func writeRunning() throws {
        guard let running else { return }
        self.running = nil
        for encoded in running.blocks() {
            let (bytes, block) = try encoded.get()
            bytes.withUnsafeBytes { digest.update($0) }
            try write(block)
        }
    }
}

/// Records that other threads encode.
private final class EncodedBatch: Sendable {
    typealias Encoded = (bytes: [UInt8], block: [UInt8])

    private let encoded: Mutex<[Result<Encoded, any Error>?]>
    private let running = DispatchGroup()

    init(_ records: [SnapshotRecord], _ format: SnapshotFormat, snapshot: UInt64) {
        encoded = Mutex(Array(repeating: nil, count: records.count))
        DispatchQueue.global().async(group: running) { [self] in
            DispatchQueue.concurrentPerform(iterations: records.count) { place in
                let block = Result<Encoded, any Error> {
                    let bytes = try SnapshotBlock.bytes(of: records[place], format)
                    return (bytes, try SnapshotBlock.compress(bytes, format, snapshot: snapshot))
                }
                encoded.withLock { $0[place] = block }
            }
        }
    }

    /// Waits until all are encoded.
    func blocks() -> [Result<Encoded, any Error>] {
        running.wait()
        return encoded.withLock { $0.compactMap(\.self) }
    }
}

extension SnapshotRecord {
    fileprivate var contentBytes: Int {
        switch self {
        case .file(let file): file.content?.count ?? 0
        case .piece(let piece): piece.content.count
        case .manifest(let paths), .unchanged(let paths), .absent(let paths): paths.count * 100
        case .former(let files): files.count * 200
        case .header, .end, .unknown: 0
        }
    }
}
