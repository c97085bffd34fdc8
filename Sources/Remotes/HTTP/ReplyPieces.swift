import AsyncHTTPClient
import NIOCore

/// The body of a reply, pulled piece by piece. For one reader; releasing it ends the transfer.
actor ReplyPieces {
    /// `nil` while a piece is waited for, and after the end.
    private var iterator: HTTPClientResponse.Body.AsyncIterator?

    init(_ body: HTTPClientResponse.Body) { iterator = body.makeAsyncIterator() }

    /// The next piece, which is not empty; `nil` at the end.
    func next() async throws -> [UInt8]? {
        guard var pieces = iterator else { return nil }
        iterator = nil
        while let piece = try await pieces.next(isolation: self) {
            if piece.readableBytes == 0 { continue }
            iterator = pieces
            return Array(piece.readableBytesView)
        }
        return nil
    }
}
