import CZlibForPeers
import Foundation

/// gzip 6 with one stream that is reset, for peers without their own.
final class PeerDeflater {
    private var stream = z_stream()

    init() throws {
        let code = deflateInit2_(
            &stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, zlibVersion(), Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw BenchError("deflateInit2 gives \(code)") }
    }

    deinit { deflateEnd(&stream) }

    func compress(_ bytes: [UInt8]) throws -> Data {
        deflateReset(&stream)
        let room = Int(deflateBound(&stream, UInt(bytes.count)))
        var packed = Data(count: room)
        var code: Int32 = Z_OK
        packed.withUnsafeMutableBytes { output in
            bytes.withUnsafeBufferPointer { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(room)
                code = deflate(&stream, Z_FINISH)
            }
        }
        guard code == Z_STREAM_END else { throw BenchError("deflate gives \(code)") }
        packed.count = room - Int(stream.avail_out)
        return packed
    }
}

/// The other way.
final class PeerInflater {
    private var stream = z_stream()
    private var buffer = [UInt8](repeating: 0, count: 1 << 20)

    init() throws {
        let code = inflateInit2_(&stream, 15 + 16, zlibVersion(), Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw BenchError("inflateInit2 gives \(code)") }
    }

    deinit { inflateEnd(&stream) }

    func decompress(_ packed: Data) throws -> [UInt8] {
        inflateReset(&stream)
        var code: Int32 = Z_OK
        let room = buffer.count
        let count = packed.withUnsafeBytes { input in
            buffer.withUnsafeMutableBufferPointer { output in
                stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(room)
                code = inflate(&stream, Z_FINISH)
                return room - Int(stream.avail_out)
            }
        }
        guard code == Z_STREAM_END else { throw BenchError("inflate gives \(code)") }
        return Array(buffer[..<count])
    }
}
