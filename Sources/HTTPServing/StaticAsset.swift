import HTTPTypes
import HummingbirdCore
import Model
import NIOCore

/// A file that is compiled into the program. Its address names its content, so browsers keep it for good.
package struct StaticAsset: Sendable {
    package let name: String
    package let bytes: [UInt8]
    package let path: String
    private let type: String

    /// - Parameter folder: the address below which it is, such as `/assets/`.
    package init(_ name: String, _ type: String, _ bytes: [UInt8], in folder: String) {
        self.name = name
        self.type = type
        self.bytes = bytes
        path = "\(folder)\(Digest(sha256Of: bytes).hex.prefix(12))/\(name)"
    }

    /// The response to a request for an address that names this file.
    package func response(to address: String) -> Response {
        var fields = HTTPFields()
        fields[.contentType] = type
        // For another version of the program: the content does not match the address, so it must not be cached.
        fields[.cacheControl] = address == path ? "public, max-age=31536000, immutable" : "no-store"
        return Response(status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
