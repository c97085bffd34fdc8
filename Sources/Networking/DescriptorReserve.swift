import Glibc

/// The file descriptors that a server keeps back from its connections. Of those that are free when it starts to listen, a quarter
/// stays free for files; before that, as many again are for connections that take another one's place while it hears why it is
/// turned away.
package struct DescriptorReserve: Hashable, Sendable {
    private let near: CInt
    private let end: CInt

    private static let mostKeptBack = 32

    /// - Parameter limit: how many files the process may have open.
    package init(limit: Int) {
        let free = Self.lowestFree().map { limit - Int($0) } ?? 0
        let keptBack = min(Self.mostKeptBack, max(0, free) / 4)
        end = CInt(clamping: limit - keptBack)
        near = CInt(clamping: limit - 2 * keptBack)
    }

    /// Whether a new connection has to take the place of another one.
    package var isNear: Bool { Self.lowestFree().map { $0 >= near } ?? true }

    /// Whether there is no descriptor for another connection.
    package var isSpent: Bool { Self.lowestFree().map { $0 >= end } ?? true }

    /// The number that the next file gets; `nil` where there is none.
    private static func lowestFree() -> CInt? {
        let probe = Glibc.open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard probe >= 0 else { return nil }
        Glibc.close(probe)
        return probe
    }
}
