import Glibc
import NIOCore

/// Makes a listening socket wait while the process has no file descriptor for another connection.
///
/// NIO leaves such a socket registered for reading, so its loop would call accept(2) without a pause for as long as a
/// connection waits in the backlog.
// Proof: every stored variable is touched on the channel's event loop alone.
package final class DescriptorLimit: ChannelDuplexHandler, @unchecked Sendable {
    package typealias InboundIn = Channel
    package typealias InboundOut = Channel
    package typealias OutboundIn = Channel
    package typealias OutboundOut = Channel

    /// Short enough that a client does not notice, long enough that waiting costs nothing.
    static let pause = TimeAmount.milliseconds(250)

    private let report: @Sendable (String) -> Void
    private var isPaused = false
    /// A read was requested during the pause.
    private var isReadWanted = false

    private var isReported = false

    /// - Parameter report: is called once with one sentence for the operator of the server.
    package init(report: @escaping @Sendable (String) -> Void) { self.report = report }

    /// Adds the handler to a listening channel.
    package static func watch(_ listener: any Channel, report: @escaping @Sendable (String) -> Void) {
        // A listener that was closed meanwhile needs none.
        listener.pipeline.addHandler(DescriptorLimit(report: report), position: .first).whenFailure { _ in }
    }

    package func read(context: ChannelHandlerContext) {
        if isPaused { isReadWanted = true } else { context.read() }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, Self.shortages.contains(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        pause(context)
    }

    private func pause(_ context: ChannelHandlerContext) {
        if !isReported {
            isReported = true
            report(
                "the limit of open files is reached, so new connections wait until others end: raise it with ulimit -n, "
                    + "or LimitNOFILE= in a systemd unit")
        }
        guard !isPaused else { return }
        isPaused = true
        isReadWanted = true
        let channel = context.channel
        // Only this removes the socket from the selector.
        channel.setOption(.autoRead, value: false).whenFailure { _ in }
        context.eventLoop.scheduleTask(in: Self.pause) { [self] in
            isPaused = false
            if isReadWanted {
                isReadWanted = false
                channel.setOption(.autoRead, value: true).whenFailure { _ in }
            }
        }
    }

    /// After these errors, accept(2) can succeed later.
    private static let shortages: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]
}
