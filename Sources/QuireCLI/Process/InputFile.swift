import Glibc

/// A file that a person named on the command line; `-` is standard input.
final class InputFile: Sendable {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(Exit.inputOutput, "cannot open \(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit { if descriptor != STDIN_FILENO { _ = close(descriptor) } }

    /// Reads at most as many bytes as fit; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw Failure(Exit.inputOutput, "cannot read \(path): \(String(cString: strerror(errno)))")
            }
            return count
        }
    }

    /// All of it, of bounded length.
    static func read(_ path: String, maximumBytes: Int = 4 << 20) throws -> [UInt8] {
        let file = try InputFile(path)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            if bytes.count > maximumBytes {
                throw Failure(Exit.badData, "\(path) is longer than \(maximumBytes) bytes")
            }
        }
    }
}
