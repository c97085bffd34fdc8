import Foundation

/// A folder of one test, removed with it.
final class TemporaryFolder {
    let path: String

    init() throws {
        // On many machines /tmp lies in memory, which is no place for a store: doctor says so.
        var template = Array("/var/tmp/quire-command-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Unexpected("cannot make a temporary folder") }
        path = String(cString: made)
    }

    deinit {
        // A file that cannot be removed stays there, harmlessly.
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// Something that a test relies on and does not find.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Whether everything is tried, and not a sample of it: with `QUIRE_BIG=1`.
let triesAll = ProcessInfo.processInfo.environment["QUIRE_BIG"] != nil

/// The bound of every wait: for something that hangs, not for a machine that is busy.
let patienceSeconds = 240.0
let patienceMilliseconds = Int32(patienceSeconds * 1000)

/// Looks again and again until something holds.
@discardableResult
func wait<Value>(
    for what: String, seconds: Double = patienceSeconds, _ look: () throws -> Value?
) throws -> Value {
    let limit = Date().addingTimeInterval(seconds)
    // The longer it takes, the less often it is looked at: each look takes processor time from the program.
    var pause: UInt32 = 1000
    while true {
        defer { pause = min(pause * 2, 32_000) }
        if let value = try look() { return value }
        if Date() > limit { throw Unexpected("waited \(Int(seconds)) s for \(what)") }
        usleep(pause)
    }
}

/// The files of one test, seen as a person with a shell sees them.
enum Files {
    static func read(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    static func text(_ path: String) throws -> String { String(decoding: try read(path), as: UTF8.self) }

    static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        // As a person's editor leaves it in a store, whatever the umask of the tests.
        chmod(path, 0o600)
    }

    /// Writes a script that can be executed.
    ///
    /// Another process puts it there: a program started by another test while this one has the file open for writing
    /// would keep it open, and then no process could execute it (ETXTBSY).
    static func writeScript(_ text: String, to path: String) throws {
        let (source, folder) = (path + ".text", URL(filePath: path).deletingLastPathComponent().path)
        try write(text, to: source)
        try Command.run("install", "-m", "755", source, path, in: folder)
        try FileManager.default.removeItem(atPath: source)
    }

    /// Writes a file of bytes that do not repeat, and returns its path.
    static func film(_ path: String, bytes count: Int) throws -> String {
        try write("", to: path)
        guard let handle = FileHandle(forWritingAtPath: path) else { throw Unexpected("\(path) is not there") }
        var state: UInt64 = 7
        var written = 0
        while written < count {
            var piece = [UInt64](repeating: 0, count: min(1 << 17, (count - written + 7) / 8))
            for index in piece.indices {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                piece[index] = state
            }
            let bytes = piece.withUnsafeBytes { Data($0.prefix(count - written)) }
            try handle.write(contentsOf: bytes)
            written += bytes.count
        }
        try handle.close()
        return path
    }

    static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// The names in a folder, sorted; none where it is missing.
    static func names(in folder: String, suffix: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(suffix) }.sorted()
    }

    /// Every path below a folder, itself included.
    static func tree(_ folder: String) -> [String] {
        [folder] + (FileManager.default.subpaths(atPath: folder) ?? []).sorted().map { folder + "/" + $0 }
    }

    static func regularFiles(below folder: String) -> [String] {
        tree(folder).filter { (try? status($0).st_mode & S_IFMT) == S_IFREG }
    }

    static func status(_ path: String) throws -> stat {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw Unexpected("there is no \(path)") }
        return status
    }

    static func move(_ source: String, _ target: String) throws {
        guard rename(source, target) == 0 else { throw Unexpected("cannot move \(source) to \(target)") }
    }

    static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    /// What `du -b` and `du` say of folders, themselves included.
    static func usage(_ folders: [String]) throws -> (apparent: Int64, allocated: Int64) {
        var usage: (apparent: Int64, allocated: Int64) = (0, 0)
        for path in folders.flatMap(tree) {
            let status = try status(path)
            usage.apparent += Int64(status.st_size)
            usage.allocated += Int64(status.st_blocks) * 512
        }
        return usage
    }
}
