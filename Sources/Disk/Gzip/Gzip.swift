import CDeflate
import CZlib
import Model
import Synchronization

/// gzip (RFC 1952) of content in memory, by libdeflate: 0.6 of zlib's time at the same level, and 0.4 to decompress. What
/// libdeflate does not do (several members, output of unknown length) is decompressed by zlib.
package enum Gzip {
    /// How much time a compression may take, as a level of libdeflate.
    package enum Effort: Int32 {
        /// 0.6 of the time, 3 % longer.
        case quick = 1
        /// On documents of this size level 9 saves nothing and takes longer.
        case thorough = 6
    }

    /// Compresses `bytes`; equal bytes give equal results (the header has no name and no time).
    package static func compress(_ bytes: [UInt8], _ effort: Effort = .thorough) throws(GzipFault) -> [UInt8] {
        let deflaters = effort == .quick ? quickDeflaters : deflaters
        let deflater = try deflaters.take { () throws(GzipFault) in try Deflater(effort) }
        defer { deflaters.give(deflater) }
        return deflater.compress(bytes)
    }

    /// Decompresses the output of `compress`, `gzip` or `cat a.gz b.gz`.
    ///
    /// - Parameter maximumBytes: longer output is rejected before it is produced: a small file must not fill the
    ///   memory.
    package static func decompress(_ bytes: [UInt8], maximumBytes: Int) throws(GzipFault) -> [UInt8] {
        let inflater = try inflaters.take { () throws(GzipFault) in try Inflater() }
        defer { inflaters.give(inflater) }
        return try inflater.decompress(bytes, maximumBytes: maximumBytes)
    }

    package static func isGzip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

    private static let deflaters = Pool<Deflater>()
    private static let quickDeflaters = Pool<Deflater>()
    private static let inflaters = Pool<Inflater>()
}

/// Why bytes are not valid gzip.
package enum GzipFault: DescribedError, Equatable {
    case notGzip
    case truncated
    case damaged(String)
    case trailingBytes(Int)
    case tooLong(maximumBytes: Int)
    case noMemory

    package var description: String {
        switch self {
        case .notGzip: "it is not gzip"
        case .truncated: "the gzip data ends too early"
        case .damaged(let reason): "the gzip data is damaged (\(reason))"
        case .trailingBytes(let count): "\(count) bytes that are not gzip follow the gzip data"
        case .tooLong(let maximum): "it unpacks to more than \(maximum) bytes"
        case .noMemory: "there is no memory for it"
        }
    }
}

/// Streams that are reset and reused: making one costs more than compressing a small document with it.
private final class Pool<Stream: AnyObject & Sendable>: Sendable {
    private let free = Mutex<[Stream]>([])

    func take(_ make: () throws(GzipFault) -> Stream) throws(GzipFault) -> Stream {
        if let stream = free.withLock({ $0.popLast() }) { return stream }
        return try make()
    }

    func give(_ stream: Stream) {
        free.withLock { if $0.count < 8 { $0.append(stream) } }
    }
}

// Proof: a compressor is handed out by its pool to one caller at a time, and given back when that caller is done.
private final class Deflater: @unchecked Sendable {
    private let compressor: OpaquePointer

    init(_ effort: Gzip.Effort) throws(GzipFault) {
        guard let compressor = libdeflate_alloc_compressor(effort.rawValue) else { throw .noMemory }
        self.compressor = compressor
    }

    deinit { libdeflate_free_compressor(compressor) }

    func compress(_ bytes: [UInt8]) -> [UInt8] {
        let bound = libdeflate_gzip_compress_bound(compressor, bytes.count)
        return [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            // It does not fail where the output has room for the bound.
            count = libdeflate_gzip_compress(compressor, bytes, bytes.count, buffer.baseAddress, bound)
        }
    }
}

// Proof: a stream is handed out by its pool to one caller at a time, and given back when that caller is done.
private final class Inflater: @unchecked Sendable {
    private var stream = z_stream()
    private let decompressor: OpaquePointer

    init() throws(GzipFault) {
        guard let decompressor = libdeflate_alloc_decompressor() else { throw .noMemory }
        self.decompressor = decompressor
        let code = inflateInit2_(&stream, 15 + 16, zlibVersion(), Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw .noMemory }
    }

    deinit {
        inflateEnd(&stream)
        libdeflate_free_decompressor(decompressor)
    }

    func decompress(_ bytes: [UInt8], maximumBytes: Int) throws(GzipFault) -> [UInt8] {
        guard Gzip.isGzip(bytes) else { throw .notGzip }
        // The last four bytes state the length, modulo 2^32: only a hint for the first buffer.
        let hint = bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        let room = min(maximumBytes, bytes.count * 20)
        if hint <= room, let whole = atOnce(bytes, count: hint) { return whole }
        guard inflateReset(&stream) == Z_OK else { throw .noMemory }
        var output: [UInt8] = []
        output.reserveCapacity(min(max(hint, 512), room))
        return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.stepBytes) { step throws(GzipFault) in
            try decompress(bytes, maximumBytes: maximumBytes, step: step, into: &output)
            return output
        }
    }

    /// One member of known length, as nearly all are.
    ///
    /// - Returns: `nil` for anything else; `decompress` reports the reason.
    private func atOnce(_ bytes: [UInt8], count: Int) -> [UInt8]? {
        var isWhole = false
        let output = [UInt8](unsafeUninitializedCapacity: count) { buffer, produced in
            var consumed = 0
            let result = libdeflate_gzip_decompress_ex(
                decompressor, bytes, bytes.count, buffer.baseAddress, count, &consumed, &produced)
            isWhole = result == LIBDEFLATE_SUCCESS && consumed == bytes.count && produced == count
        }
        return isWhole ? output : nil
    }

    /// The bytes decompressed in one step.
    private static let stepBytes = 1 << 15

    private func decompress(
        _ bytes: [UInt8], maximumBytes: Int, step: UnsafeMutableBufferPointer<UInt8>, into output: inout [UInt8]
    ) throws(GzipFault) {
        var consumed = 0
        while true {
            var code: Int32 = Z_OK
            var produced = 0
            bytes.withUnsafeBufferPointer { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.advanced(by: consumed))
                stream.avail_in = UInt32(input.count - consumed)
                stream.next_out = step.baseAddress
                stream.avail_out = UInt32(step.count)
                code = inflate(&stream, Z_NO_FLUSH)
                consumed = input.count - Int(stream.avail_in)
                produced = step.count - Int(stream.avail_out)
            }
            if output.count + produced > maximumBytes { throw .tooLong(maximumBytes: maximumBytes) }
            output.append(contentsOf: UnsafeBufferPointer(rebasing: step[..<produced]))
            switch code {
            case Z_STREAM_END:
                if consumed == bytes.count { return }
                // Consecutive members are one text, as zcat reads them.
                guard bytes[consumed...].starts(with: [0x1F, 0x8B]) else {
                    throw .trailingBytes(bytes.count - consumed)
                }
                guard inflateReset(&stream) == Z_OK else { throw .noMemory }
            case Z_OK, Z_BUF_ERROR:
                // With room left in the step, only the input can be at its end.
                if produced < step.count, consumed == bytes.count { throw .truncated }
            case Z_MEM_ERROR: throw .noMemory
            default: throw .damaged(stream.msg.map { String(cString: $0) } ?? "code \(code)")
            }
        }
    }
}
