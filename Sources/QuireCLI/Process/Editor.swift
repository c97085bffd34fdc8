import Disk
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
        guard try run(["-c", editor + " \"$1\"", "sh", path], environment) == .code(0) else {
            throw Failure(Exit.inputOutput, "the editor “\(editor)” failed: what it left is in \(path)")
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw Failure(Exit.inputOutput, "cannot read \(path) after editing")
        }
        return (Array(data), path)
    }

    static func remove(_ path: String) { _ = unlink(path) }

    private static func run(_ arguments: [String], _ environment: [String: String]) throws -> Program.End {
        do throws(FileError) {
            return try Program(atTerminal: "/bin/sh", arguments, environment: environment).end()
        } catch {
            throw Failure(Exit.inputOutput, "cannot start /bin/sh")
        }
    }
}
