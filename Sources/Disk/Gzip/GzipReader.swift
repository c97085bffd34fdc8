import CZlib

/// Decompresses gzip (RFC 1952) in pieces, consecutive members as one text, as zcat reads them.
///
///     let reader = try GzipReader()
///     while let piece = try reader.next(from: readSomeBytes) { … }
///
/// For one caller at a time.
// Proof: its owner keeps it behind a lock or to itself; two of them share nothing.
package final class GzipReader: @unchecked Sendable {
    private var stream = z_stream()
    private var input: [UInt8] = []
    private var consumed = 0
    private var isInMember = true
    private var isFirst = true

    package init() throws(GzipFault) {
        let code = inflateInit2_(&stream, 15 + 16, zlibVersion(), Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw .noMemory }
    }

    deinit { inflateEnd(&stream) }

    /// The next piece of at most `maximumBytes`; `nil` at the end.
    ///
    /// - Parameter more: returns the next compressed bytes, none at the end.
    /// - Throws: `GzipFault`, and what `more` throws.
    package func next(maximumBytes: Int, from more: () throws -> [UInt8]) throws -> [UInt8]? {
        while true {
            if consumed == input.count {
                input = try more()
                consumed = 0
                if input.isEmpty {
                    if isInMember { throw isFirst ? GzipFault.notGzip : GzipFault.truncated }
                    return nil
                }
            }
            if !isInMember {
                guard inflateReset(&stream) == Z_OK else { throw GzipFault.noMemory }
                isInMember = true
            }
            isFirst = false
            let (piece, code) = step(maximumBytes)
            switch code {
            case Z_STREAM_END: isInMember = false
            case Z_OK, Z_BUF_ERROR: break
            case Z_MEM_ERROR: throw GzipFault.noMemory
            default: throw GzipFault.damaged(stream.msg.map { String(cString: $0) } ?? "code \(code)")
            }
            if !piece.isEmpty { return piece }
        }
    }

    private func step(_ maximumBytes: Int) -> (piece: [UInt8], code: Int32) {
        var code: Int32 = Z_OK
        let piece = [UInt8](unsafeUninitializedCapacity: maximumBytes) { buffer, count in
            input.withUnsafeBufferPointer { bytes in
                // Proof: zlib does not write through next_in; the pointer is mutable for historical reasons.
                stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.advanced(by: consumed))
                stream.avail_in = UInt32(bytes.count - consumed)
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(buffer.count)
                code = inflate(&stream, Z_NO_FLUSH)
                consumed = bytes.count - Int(stream.avail_in)
                count = buffer.count - Int(stream.avail_out)
            }
        }
        return (piece, code)
    }
}
