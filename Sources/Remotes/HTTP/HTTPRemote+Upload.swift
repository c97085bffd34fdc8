import AsyncHTTPClient
import HTTPTypes
import Model
import NIOCore
import NIOHTTP1
import Sync

/// Attachments over HTTP.
extension HTTPRemote {
    public func upload(_ upload: MediaUpload) async throws(RemoteFailure) -> RemoteReply {
        let way = ResumableUpload(upload, base: base, remoteName: authority) {
            method, url, fields, body async throws(RemoteFailure) in
            let length = body.length ?? 0
            let content: HTTPClientRequest.Body? =
                if method == .head { nil } else if let bytes = body.bytes { .bytes(bytes) } else {
                    .stream(BodyPieces(body: body), length: .known(length))
                }
            return try await self.exchange(
                HTTPMethod(rawValue: method.rawValue), url, fields: fields, content: content, sizeBytes: length,
                maximumBytes: Receipt.maximumBytes)
        }
        return try await way.run()
    }
}

/// A body as the HTTP client takes it.
private struct BodyPieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let body: HTTPBody

    func next() async throws -> ByteBuffer? {
        while let part = try await body.next() {
            if case .bytes(let bytes) = part { return ByteBuffer(bytes: bytes) }
        }
        return nil
    }

    func makeAsyncIterator() -> BodyPieces { self }
}
