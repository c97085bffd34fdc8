import CLinux
import Dispatch
import Glibc
import SystemPackage

/// Reports signals from its creation on: one that arrives while the program is starting is not lost, since it waits in
/// a pipe. (There is a gap between ignoring a signal and watching it with a dispatch source.)
package final class SignalEvents: Sendable {
    // Proof: it is set once, here, and a dispatch source may be cancelled from any thread.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    /// - Parameter report: called with the number of each received signal.
    /// - Throws: `FileError`.
    package init(_ signals: [Int32], report: @escaping @Sendable (Int32) -> Void) throws(FileError) {
        let descriptor = quire_signal_pipe(signals, Int32(signals.count))
        if descriptor < 0 { throw FileError("wait for signals in", "/proc/self", .current) }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            for byte in bytes.prefix(max(0, count)) { report(Int32(byte)) }
        }
        source.activate()
    }

    /// Stops reporting.
    package func stop() { source.cancel() }
}
