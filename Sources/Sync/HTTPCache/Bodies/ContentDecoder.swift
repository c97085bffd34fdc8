import Disk
import HTTPTypes
import Model

/// Decodes the content coding of a body on arrival, and compares the received bytes with their Content-Digest.
///
///     decoder.give(bytes)
///     while let piece = try decoder.next() { … }      // for each part of the body
///     try decoder.finish()
struct ContentDecoder {
    /// The bytes decompressed at a time.
    private static let pieceBytes = 64 << 10
    /// Content beyond `freeBytes` that expands by more than this factor is a bomb, and not a picture.
    private static let mostExpansion: Int64 = 100
    private static let freeBytes: Int64 = 8 << 20

    private let reader: GzipReader?
    private let expected: Digest?
    private var digest = DigestBuilder()
    private var waiting: [UInt8]?
    private(set) var receivedBytes: Int64 = 0
    private var unpackedBytes: Int64 = 0

    /// - Throws: where the fields name another coding than gzip, or a digest that is none.
    init(_ fields: HTTPFields) throws {
        expected = try ContentReading.statedDigest(fields)
        reader = try ContentReading.isPacked(fields) ? GzipReader() : nil
    }

    var isPacked: Bool { reader != nil }

    /// Takes the next bytes of the body.
    mutating func give(_ bytes: [UInt8]) {
        receivedBytes += Int64(bytes.count)
        if expected != nil { bytes.withUnsafeBytes { digest.update($0) } }
        waiting = bytes
    }

    /// The next piece of content; `nil` when more bytes are needed for it.
    mutating func next() throws -> [UInt8]? {
        guard let reader else {
            defer { waiting = nil }
            return waiting
        }
        do {
            let piece = try reader.next(maximumBytes: Self.pieceBytes) {
                guard let bytes = waiting else { throw NeedsMore() }
                waiting = nil
                return bytes
            }
            unpackedBytes += Int64(piece?.count ?? 0)
            if unpackedBytes > Self.freeBytes, unpackedBytes > Self.mostExpansion * receivedBytes {
                throw RemoteFailure(
                    .invalidReply,
                    "the reply's content unpacks to more than \(Self.mostExpansion) times its length, as nothing does "
                        + "that is meant to be looked at")
            }
            return piece
        } catch is NeedsMore {
            return nil
        } catch let fault as GzipFault {
            throw ContentReading.unpacking(fault)
        }
    }

    /// The body has come to its end.
    ///
    /// - Throws: if it is incomplete, or does not match its digest.
    mutating func finish() throws {
        if let reader {
            do {
                _ = try reader.next(maximumBytes: Self.pieceBytes) { [] }
            } catch let fault as GzipFault {
                throw ContentReading.unpacking(fault)
            }
        }
        if let expected, digest.finish() != expected { throw ContentReading.otherContent }
    }

    private struct NeedsMore: Error {}
}
