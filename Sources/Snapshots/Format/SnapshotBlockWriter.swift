import Dispatch
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

    /// Writes what was put so far.
    func finish() throws {
        try encodeBatch()
        try writeRunning()
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
        for block in running.blocks() { try write(block.get()) }
    }
}

/// Records that other threads encode.
private final class EncodedBatch: Sendable {
    private let encoded: Mutex<[Result<[UInt8], any Error>?]>
    private let running = DispatchGroup()

    init(_ records: [SnapshotRecord], _ format: SnapshotFormat, snapshot: UInt64) {
        encoded = Mutex(Array(repeating: nil, count: records.count))
        DispatchQueue.global().async(group: running) { [self] in
            DispatchQueue.concurrentPerform(iterations: records.count) { place in
                let block = Result { try SnapshotBlock.encode(records[place], format, snapshot: snapshot) }
                encoded.withLock { $0[place] = block }
            }
        }
    }

    /// Waits until all are encoded.
    func blocks() -> [Result<[UInt8], any Error>] {
        running.wait()
        return encoded.withLock { $0.compactMap(\.self) }
    }
}

extension SnapshotRecord {
    fileprivate var contentBytes: Int {
        switch self {
        case .file(let file): file.content?.count ?? 0
        case .piece(let piece): piece.content.count
        case .manifest(let paths), .unchanged(let paths): paths.count * 100
        case .former(let files): files.count * 200
        case .header, .end, .unknown: 0
        }
    }
}
