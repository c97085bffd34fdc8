import Glibc
import NIOCore

extension ChannelPipeline.SynchronousOperations {
    /// Whether bytes, or the other side's end, wait in the socket and were not read yet.
    ///
    /// A client asks before it sends a request on a connection that was idle: what came before the request is no answer to
    /// it (RFC 9112 section 9.2). False for a channel without a socket.
    package func hasUnreadBytes() -> Bool {
        let found = try? withUnsafeTransportIfAvailable(of: CInt.self) { socket -> Bool in
            var byte: UInt8 = 0
            let count = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
            // 0 is the other side's end; an error is either that nothing is there or that the connection broke.
            return count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        }
        return found ?? false
    }
}
