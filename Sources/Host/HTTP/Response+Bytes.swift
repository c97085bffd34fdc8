import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// A response whose whole content is at hand.
    init(status: HTTPResponse.Status, headers: HTTPFields, bytes: [UInt8]) {
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The same header without the content, as HEAD asks for it (RFC 9110 section 9.3.2).
    var withoutContent: Response { Response(status: status, headers: headers, body: ResponseBody()) }
}
