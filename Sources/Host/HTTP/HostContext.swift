import Hummingbird
import NIOCore

/// The host's information about a request beside the request itself.
struct HostContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The client's address, as far as the connection shows it; `nil` in a test without a socket.
    let client: String?
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        client = source.channel.remoteAddress?.ipAddress
    }
}
