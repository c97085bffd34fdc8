import Glibc
import NIOCore

extension ChannelPipeline.SynchronousOperations {
    /// Whether bytes, or the peer's end of stream, wait unread in the socket.
    ///
    /// A client asks before it sends a request on an idle connection: bytes that arrived before the request are no
    /// answer to it (RFC 9112 section 9.2). False for a channel without a socket.
    package func hasUnreadBytes() -> Bool {
        let found = try? withUnsafeTransportIfAvailable(of: CInt.self) { socket -> Bool in
            var byte: UInt8 = 0
            let count = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
            // 0 is the peer's end of stream; an error means that nothing is there or that the connection broke.
            return count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        }
        return found ?? false
    }
}
