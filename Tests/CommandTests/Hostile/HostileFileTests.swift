import Foundation
import Testing

/// A file of the store that holds, or is, something else than it should.
struct HostileFile: Sendable {
    var name: String
    var plant: @Sendable (String) throws -> Void

    private static func bytes(_ name: String, _ bytes: [UInt8]) -> HostileFile {
        HostileFile(name: name) { path in try Data(bytes).write(to: URL(filePath: path)) }
    }

    private static func special(_ name: String, _ make: @escaping @Sendable (String) -> Int32) -> HostileFile {
        HostileFile(name: name) { path in guard make(path) == 0 else { throw Unexpected("\(name): \(errno)") } }
    }

    private static let run = HostileReply.run

    static let all: [HostileFile] = [
        bytes("100 000 lists in one another", run(100_000, "[")),
        bytes("100 000 objects in one another", run(100_000, #"{"a":"#)),
        bytes("a million values", Array("[".utf8) + run(1_000_000, "0,")),
        bytes("a name twice", Array(#"{"id": 1, "id": 2}"#.utf8)),
        bytes(
            "numbers that overflow", Array(#"{"sequence": 1e999, "last": 1e999, "format": 1e999, "id": 1e999}"#.utf8)),
        bytes("invalid UTF-8", Array(#"{"id": ""#.utf8) + [0xFF] + Array(#""}"#.utf8)),
        bytes("a byte order mark", [0xEF, 0xBB, 0xBF] + Array("{}".utf8)),
        bytes("NULs, as after a power cut", [UInt8](repeating: 0, count: 4096)),
        bytes("nothing", []),
        bytes("a text of 64 MB", Array("\"".utf8) + run(64 << 20, "x")),
        special("a GB of nothing") { path in
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(file) }
            return ftruncate(file, 1 << 30)
        },
        special("a pipe") { mkfifo($0, 0o600) },
        special("a folder") { mkdir($0, 0o700) },
        special("a link to a file outside") { symlink("../../outside", $0) },
        special("a link to itself") { symlink(($0 as NSString).lastPathComponent, $0) },
        special("a link to a device") { symlink("/dev/zero", $0) },
        special("a socket") { path in
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            // The path of a socket is short, so it is made here and moved there.
            let short = "/tmp/quire-\(UUID().uuidString.prefix(8))"
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: short.utf8) }
            let length = socklen_t(MemoryLayout<sockaddr_un>.size)
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            return bound == 0 ? rename(short, path) : bound
        },
    ]
}

@Suite("Hostile files in the store")
struct HostileFileTests {
    /// A store with everything in it, made once.
    private static func makeStore(_ folder: String, _ server: RawServer) throws -> Device {
        let device = Device(folder)
        try device.done("init", "--remote", server.address)
        try device.done("pull")
        for isFinished in [false, true] { _ = try device.take("q", answers: #"{"1": "x"}"#, isFinished: isFinished) }
        try device.done("favorite", "q")
        // What was tried has a receipt.
        _ = try device.quire("sync")
        try device.done("search", "q")
        return device
    }

    private static let places: [@Sendable (Device) throws -> String] = [
        { $0.store + "/store.json" },
        { try $0.entryPath("q") },
        { try $0.blobPath("q") },
        { $0.testPath($0.tests("in-progress")[0], "in-progress") },
        { $0.testPath($0.tests("done")[0], "done") },
        { $0.receiptPath($0.tests("done")[0], "done") },
        { $0.store + "/marks/q.favorite.json" },
        { $0.store + "/outbox/sequence.json" },
        { $0.store + "/outbox/reserve" },
        { $0.store + "/outbox/edit.lock" },
        { $0.store + "/cache/lock" },
        { $0.store + "/cache/ledger.json" },
        { $0.store + "/index/catalog.pb" },
        { $0.store + "/index/texts.pb" },
        { $0.store + "/index/lines.pb" },
        { $0.store + "/log/events.jsonl" },
        { $0.store + "/log/contact.json" },
    ]

    @Test(
        "whatever lies in the place of a file is refused by name or passed over, never followed or loaded",
        arguments: 0..<17)
    func files(_ place: Int) throws {
        let folder = try TemporaryFolder()
        let server = try RawServer.ofOne(rest: .status("503 Away"))
        let model = try Self.makeStore(folder.path, server)
        try Files.write("secret", to: folder.path + "/outside")
        let path = String(try Self.places[place](model).dropFirst(model.store.count))
        // With the other tests one or two of them, other ones in the next place; all by `make torture`.
        let sample = HostileFile.all.enumerated().filter { Torture.isWhole || ($0.offset + place) % 12 == 0 }
        for (_, hostile) in sample {
            let device = Device(folder.path, name: "copy")
            try Command.run("rm", "-rf", device.store, in: folder.path)
            try Command.run("cp", "-a", model.store, device.store, in: folder.path)
            if Files.exists(device.store + path) { try Files.remove(device.store + path) }
            try hostile.plant(device.store + path)
            var words = ""
            for arguments in Self.commands(reading: path) {
                let outcome = try device.bounded(arguments, input: #"{"1": "x"}"#)
                #expect(!(outcome.output + outcome.errors).contains("secret"), "\(hostile.name): \(outcome)")
                words += outcome.output + outcome.errors
                // Without its settings a store can do nothing, and says which file it is.
                if path == "/store.json" {
                    #expect(
                        outcome.exitCode != 0 && outcome.errors.contains("store.json"), "\(hostile.name): \(outcome)")
                    break
                }
            }
            #expect(try Files.text(folder.path + "/outside") == "secret")
            // What a person would miss is named.
            if path.hasPrefix("/outbox/in-progress/") || path.hasPrefix("/outbox/done/") && path.contains(".test.") {
                #expect(words.contains(path.dropFirst()), "\(hostile.name): \(words)")
            }
        }
    }

    /// Those that read the file.
    private static func commands(reading path: String) -> [[String]] {
        switch path.split(separator: "/")[0] {
        case "outbox" where path.contains(".json"): [["sync", "--dry-run"], ["doctor"]]
        case "outbox": [["take", "q", "--answers", "-"]]
        case "index": [["search", "q"]]
        case "log": [["log"], ["status"]]
        case "marks", "store.json": [["list"]]
        default: [["list"], ["take", "q", "--answers", "-"]]
        }
    }

    @Test(
        "a link in the place of a folder leads nowhere",
        arguments: [
            "outbox", "outbox/tmp", "outbox/in-progress", "outbox/sending", "outbox/sent", "cache", "cache/tmp",
            "quarantine", "index", "log",
        ])
    func folders(_ place: String) throws {
        let folder = try TemporaryFolder()
        let server = try RawServer.ofOne()
        let device = Device(folder.path)
        try device.done("init", "--remote", server.address)
        try device.done("pull")
        _ = try device.take("q", answers: #"{"1": "x"}"#)
        let outside = folder.path + "/outside"
        try Files.makeFolder(outside)
        let path = "\(device.store)/\(place)"
        try Command.run("rm", "-rf", path, in: folder.path)
        #expect(symlink(outside, path) == 0)
        for arguments in [
            ["list"], ["pull"], ["take", "q", "--answers", "-", "--finish"], ["sync"], ["search", "q"],
            ["doctor", "--repair"],
        ] {
            try device.bounded(arguments, input: #"{"1": "x"}"#)
            #expect(Files.names(in: outside).isEmpty, "after \(arguments)")
        }
    }

    @Test("a hard link to a file outside is not written through")
    func hardLinks() throws {
        let folder = try TemporaryFolder()
        let server = try RawServer.ofOne()
        let model = try Self.makeStore(folder.path, server)
        for (number, place) in Self.places.enumerated() {
            let device = Device(folder.path, name: "copy-\(number)")
            try Command.run("cp", "-a", model.store, device.store, in: folder.path)
            let path = device.store + (try place(model).dropFirst(model.store.count))
            // Locks are empty and are not written; the log and the ledger are written in place.
            guard Files.exists(path), !path.hasSuffix("events.jsonl"), !path.hasSuffix("ledger.json") else { continue }
            let outside = "\(folder.path)/outside-\(number)"
            #expect(link(path, outside) == 0)
            let before = try Files.read(outside)
            for arguments in [["pull"], ["take", "q", "--answers", "-"], ["favorite", "q"], ["sync"]] {
                try device.bounded(arguments, input: #"{"1": "x"}"#)
            }
            #expect(try Files.read(outside) == before, "\(path)")
        }
    }

    @Test("an index that is whole and lies is not believed: neither a path nor a million records")
    func index() throws {
        let folder = try TemporaryFolder()
        let server = try RawServer.ofOne()
        let device = try Self.makeStore(folder.path, server)
        for (name, record) in [("catalog.pb", [0x0A, 0x00]), ("lines.pb", [0x0A, 0x00]), ("texts.pb", [0x0A, 0x00])]
            as [(String, [UInt8])]
        {
            let payload = [[UInt8]](repeating: record, count: 4 << 20).flatMap { $0 }
            let plain = folder.path + "/payload"
            try Data(payload).write(to: URL(filePath: plain))
            let sum = try Command.run("sha256sum", plain, in: folder.path).prefix(64)
            let digest = stride(from: 0, to: 64, by: 2).map { place in
                UInt8(sum.dropFirst(place).prefix(2), radix: 16) ?? 0
            }
            let file = Array("quire-index 6\n".utf8) + digest + payload
            try Data(file).write(to: URL(filePath: "\(device.store)/index/\(name)"))
            #expect(try device.bounded(["list"]).output.hasPrefix("q\t"))
            #expect(try device.bounded(["search", "q"]).output.hasPrefix("q\t"))
        }
    }
}
