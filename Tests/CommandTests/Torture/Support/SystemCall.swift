import Foundation

/// One finished call in the output of `strace -f -y -xx`.
struct SystemCall {
    var process: Int
    var name: String
    /// The arguments as strace writes them; strings and paths in them are not yet decoded.
    var arguments: [Substring]
    /// What it returned; -1 where it failed.
    var result: Int

    /// The calls that change the disk's content, and those by which a program reports it.
    static let interesting =
        "openat,pwrite64,write,writev,sendto,sendmsg,fsync,fdatasync,syncfs,rename,renameat,renameat2,link,linkat,unlink,"
        + "unlinkat,rmdir,mkdir,mkdirat,ftruncate,fallocate,utimensat,copy_file_range,sendfile"

    /// The calls of a program that runs to its end under strace.
    static let tracer = [
        "strace", "-f", "-y", "-xx", "-s", "200000", "-e", "trace=" + interesting, "-e", "signal=none",
    ]

    /// All calls, in the order in which they returned.
    static func read(_ path: String) throws -> [SystemCall] {
        var calls: [SystemCall] = []
        var unfinished: [Substring: Substring] = [:]
        for line in try Files.text(path).split(separator: "\n") {
            guard let space = line.firstIndex(of: " ") else { continue }
            let process = line[..<space]
            var rest = line[space...].drop { $0 == " " }
            if rest.hasPrefix("<... ") {
                guard let end = rest.range(of: " resumed>"), let begun = unfinished.removeValue(forKey: process)
                else { continue }
                rest = begun + rest[end.upperBound...]
            } else if let end = rest.range(of: " <unfinished ...>") {
                unfinished[process] = rest[..<end.lowerBound]
                continue
            }
            if let call = SystemCall(process, rest) { calls.append(call) }
        }
        return calls
    }

    private init?(_ process: Substring, _ text: Substring) {
        guard let parenthesis = text.firstIndex(of: "("), let equals = text.range(of: " = ", options: .backwards),
            let end = text[..<equals.lowerBound].lastIndex(of: ")"), parenthesis < end,
            let result = Int(text[equals.upperBound...].prefix { $0 == "-" || $0.isNumber })
        else { return nil }
        self.process = Int(process) ?? 0
        name = String(text[..<parenthesis])
        arguments = Self.split(text[text.index(after: parenthesis)..<end])
        self.result = result
    }

    /// Splits at commas that are in no string and no bracket.
    private static func split(_ text: Substring) -> [Substring] {
        var parts: [Substring] = []
        var depth = 0
        var isInString = false
        let bytes = text.utf8
        var start = bytes.startIndex
        var index = start
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "["), UInt8(ascii: "{"): if !isInString { depth += 1 }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): if !isInString { depth -= 1 }
            case UInt8(ascii: ",") where !isInString && depth == 0:
                parts.append(text[start..<index])
                start = bytes.index(after: index)
            default: break
            }
            index = bytes.index(after: index)
        }
        parts.append(text[start...])
        return parts.map { $0.drop { $0 == " " } }
    }

    // MARK: What the arguments mean

    func number(_ index: Int) -> Int { arguments.indices.contains(index) ? Int(arguments[index]) ?? 0 : 0 }

    /// The path of an open file.
    func file(_ index: Int) -> String {
        guard arguments.indices.contains(index), let start = arguments[index].firstIndex(of: "<") else { return "" }
        let inside = arguments[index][arguments[index].index(after: start)...]
        return Self.decoded(inside.prefix { $0 != ">" })
    }

    /// The descriptor's number.
    func descriptor(_ index: Int) -> Int { Int(arguments[index].prefix { $0.isNumber }) ?? -1 }

    /// The path that a folder's descriptor and a name give together.
    func path(_ folder: Int?, _ name: Int) -> String {
        let text = String(decoding: bytes(name), as: UTF8.self)
        guard let folder, !text.hasPrefix("/") else { return text }
        return text == "." ? file(folder) : file(folder) + "/" + text
    }

    /// What stands in the strings of an argument, those of an array one after another.
    func bytes(_ index: Int) -> [UInt8] {
        guard arguments.indices.contains(index) else { return [] }
        var found: [UInt8] = []
        let parts = arguments[index].split(separator: "\"", omittingEmptySubsequences: false)
        for (number, part) in parts.enumerated() where number % 2 == 1 { found += Self.decodedBytes(part) }
        return found
    }

    private static func decoded(_ text: Substring) -> String { String(decoding: decodedBytes(text), as: UTF8.self) }

    private static func decodedBytes(_ text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x"), rest.count >= 3 else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.dropFirst().prefix(2), as: UTF8.self)
            bytes.append(UInt8(digits, radix: 16) ?? 0)
            rest = rest.dropFirst(3)
        }
        return bytes
    }
}
