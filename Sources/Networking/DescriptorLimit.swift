import Glibc
import NIOCore

/// Makes a listening socket wait while the process has no file descriptor to spare for another connection.
///
/// Some descriptors are kept back for files, and for libdispatch, which ends the process when it cannot open its own
/// `/proc/self/task/…/stat`. NIO leaves a socket at the limit registered for reading, so its loop would call accept(2)
/// without a pause for as long as a connection waits in the backlog.
// Proof: every stored variable is touched on the channel's event loop alone.
package final class DescriptorLimit: ChannelDuplexHandler, @unchecked Sendable {
    package typealias InboundIn = Channel
    package typealias InboundOut = Channel
    package typealias OutboundIn = Channel
    package typealias OutboundOut = Channel

    /// Short enough that a client does not notice, long enough that waiting costs nothing.
    static let pause = TimeAmount.milliseconds(250)

    private let reserve: DescriptorReserve
    private let report: @Sendable (String) -> Void
    private var isPaused = false
    /// A read was requested during the pause.
    private var isReadWanted = false

    private var isReported = false

    /// - Parameters:
    ///   - limit: how many files the process may have open.
    ///   - report: is called once with one sentence for the operator of the server.
    package init(limit: Int, report: @escaping @Sendable (String) -> Void) {
        reserve = DescriptorReserve(limit: limit)
        self.report = report
    }

    /// Adds the handler to a listening channel.
    package static func watch(_ listener: any Channel, limit: Int, report: @escaping @Sendable (String) -> Void) {
        // Each connection is counted before the next one is accepted.
        listener.setOption(.maxMessagesPerRead, value: 1).whenFailure { _ in }
        // A listener that was closed meanwhile needs none.
        listener.pipeline.addHandler(DescriptorLimit(limit: limit, report: report), position: .first)
            .whenFailure { _ in }
    }

    package func read(context: ChannelHandlerContext) {
        if isPaused { isReadWanted = true } else { context.read() }
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(data)
        if reserve.isSpent { pause(context) }
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
        // Only this removes the socket from the selector.
        context.channel.setOption(.autoRead, value: false).whenFailure { _ in }
        resumeLater(context.channel)
    }

    private func resumeLater(_ channel: any Channel) {
        channel.eventLoop.scheduleTask(in: Self.pause) { [self] in
            guard !reserve.isSpent else { return resumeLater(channel) }
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
