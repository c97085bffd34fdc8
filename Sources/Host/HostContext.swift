import Hummingbird
import NIOCore

/// What the host knows of a request beside the request itself.
struct HostContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Who asks, as far as the connection tells; `nil` in a test without a socket.
    let client: String?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        client = source.channel.remoteAddress?.ipAddress
    }
}
