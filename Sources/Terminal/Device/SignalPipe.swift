import Glibc
import Synchronization

/// Where the handlers of signals write. A handler may touch nothing but this: it must be a plain C function.
private let signalDescriptor = Atomic<Int32>(-1)

/// Signals as bytes that can be read, while it lives between `init` and `close`.
struct SignalPipe {
    /// These end the test; SIGINT and SIGQUIT come only from outside, since the keys send none in raw mode.
    static let leaving = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    static let watched = leaving + [SIGWINCH, SIGCONT]

    let readEnd: Int32
    private let writeEnd: Int32
    private let previous: [(signal: Int32, action: sigaction)]

    init() throws(TakeFault) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw TakeFault.terminal(call: "pipe", code: errno) }
        readEnd = ends[0]
        writeEnd = ends[1]
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            // A full pipe must not block a handler: the bytes in it already wake the reader.
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        signalDescriptor.store(writeEnd, ordering: .sequentiallyConsistent)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { signal in
            let saved = errno
            var byte = UInt8(truncatingIfNeeded: signal)
            _ = Glibc.write(signalDescriptor.load(ordering: .sequentiallyConsistent), &byte, 1)
            errno = saved
        }
        action.sa_flags = SA_RESTART
        var previous: [(Int32, sigaction)] = []
        for signal in SignalPipe.watched {
            var old = sigaction()
            if sigaction(signal, &action, &old) == 0 { previous.append((signal, old)) }
        }
        self.previous = previous
    }

    /// The signals since the last call.
    func read() -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(readEnd, &bytes, bytes.count)
        return count > 0 ? bytes[..<count].map(Int32.init) : []
    }

    /// Gives the signals back to whom they belonged.
    func close() {
        for former in previous {
            var action = former.action
            _ = sigaction(former.signal, &action, nil)
        }
        signalDescriptor.store(-1, ordering: .sequentiallyConsistent)
        _ = Glibc.close(readEnd)
        _ = Glibc.close(writeEnd)
    }
}
