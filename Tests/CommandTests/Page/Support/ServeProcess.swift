import Foundation

/// A real `quire serve` on the loopback interface.
final class ServeProcess {
    private let device: Device
    private let binary: String
    let port: Int
    private var process: ChildProcess?
    /// The address that lets one browser in.
    private(set) var invitation = ""

    init(_ device: Device, binary: String = Command.binary) throws {
        self.device = device
        self.binary = binary
        port = try SteadyPort.next()
    }

    deinit { process?.send(SIGKILL) }

    var address: String { "http://127.0.0.1:\(port)" }

    func start(_ arguments: String...) throws {
        let child = try ChildProcess(
            [binary, "serve", "--store", device.store, "--listen", "127.0.0.1:\(port)"] + arguments,
            environment: Command.environment(home: device.folder), folder: device.folder, isWatched: true)
        let line = try HostProcess.firstLine(of: child)
        guard let start = line.range(of: "http://") else { throw Unexpected("the page said “\(line)”") }
        invitation = String(line[start.lowerBound...])
        process = child
    }

    @discardableResult
    func stop() throws -> Outcome {
        guard let process else { throw Unexpected("the page is not served") }
        process.send(SIGTERM)
        defer { self.process = nil }
        return try process.end()
    }

    func kill() throws {
        process?.send(SIGKILL)
        _ = try process?.end()
        process = nil
    }
}
