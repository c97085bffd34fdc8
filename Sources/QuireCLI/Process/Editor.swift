import FoundationEssentials
import Glibc

/// Lets a person change some bytes in their editor.
enum Editor {
    /// Writes the bytes into a private temporary file, opens `$VISUAL`, else `$EDITOR`, else `vi` on it, and returns what
    /// is in it afterwards.
    ///
    /// - Returns: the bytes, and the file, which the caller removes when they were taken.
    static func edit(_ bytes: [UInt8], name: String) throws -> (bytes: [UInt8], path: String) {
        let environment = ProcessInfo.processInfo.environment
        let folder = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        let stem = name.filter { $0.isLetter || $0.isNumber || $0 == "-" }.prefix(40)
        var template = Array("\(folder)/quire-\(stem)-XXXXXX.json".utf8CString)
        let descriptor = mkstemps(&template, 5)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard descriptor >= 0 else { throw Failure(Exit.inputOutput, "cannot make a temporary file in \(folder)") }
        Output.write(bytes, to: descriptor)
        guard close(descriptor) == 0 else { throw Failure(Exit.inputOutput, "cannot write \(path)") }

        let editor = ["VISUAL", "EDITOR"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? "vi"
        guard try run(["/bin/sh", "-c", editor + " \"$1\"", "sh", path]) == 0 else {
            throw Failure(Exit.inputOutput, "the editor “\(editor)” failed: what it left is in \(path)")
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw Failure(Exit.inputOutput, "cannot read \(path) after editing")
        }
        return (Array(data), path)
    }

    static func remove(_ path: String) { _ = unlink(path) }

    private static func run(_ arguments: [String]) throws -> Int32 {
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        pointers.append(nil)
        // What this program passes over (Termination.outliveFullFiles) is not the editor's to pass over.
        var attributes = posix_spawnattr_t()
        var passedOver = sigset_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        sigemptyset(&passedOver)
        sigaddset(&passedOver, SIGXFSZ)
        posix_spawnattr_setsigdefault(&attributes, &passedOver)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var process = pid_t()
        guard posix_spawn(&process, arguments[0], nil, &attributes, pointers, environ) == 0 else {
            throw Failure(Exit.inputOutput, "cannot start \(arguments[0])")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
