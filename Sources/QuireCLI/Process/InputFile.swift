import Glibc

/// A file that a person named on the command line; `-` is standard input.
enum InputFile {
    static func read(_ path: String, maximumBytes: Int = 4 << 20) throws -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(Exit.inputOutput, "cannot open \(path): \(String(cString: strerror(errno)))")
        }
        defer { if descriptor != STDIN_FILENO { _ = close(descriptor) } }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw Failure(Exit.inputOutput, "cannot read \(path): \(String(cString: strerror(errno)))")
            }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            if bytes.count > maximumBytes {
                throw Failure(Exit.badData, "\(path) is longer than \(maximumBytes) bytes")
            }
        }
    }
}
