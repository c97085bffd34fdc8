import Disk
import Foundation
import Simulation
import SystemPackage
import Testing

/// RFC 1952, and promise 7 of the design: what comes from outside never crashes us and never fills the memory.
@Suite("gzip is deterministic, as other tools know it, and bounded")
struct GzipTests {
    // MARK: - Round trips

    @Test("bytes come back as they went in", arguments: [0, 1, 2, 100, 511, 512, 513, 4096, 65_537, 1_000_000])
    func roundTrip(_ count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        let random = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let text = Array(
            repeatElement(bytes("{\"id\": \"сад\", \"n\": 1},\n"), count: count / 24 + 1).joined().prefix(count))
        for content in [random, text, [UInt8](repeating: 0, count: count)] {
            let packed = try Gzip.compress(content)
            #expect(try Gzip.decompress(packed, maximumBytes: count) == content)
            #expect(try Gzip.compress(content) == packed)
        }
    }

    @Test("the header carries no name and no time")
    func header() throws {
        let packed = try Gzip.compress(bytes("text"))
        // RFC 1952 section 2.3: magic, deflate, no flags, no time.
        #expect(packed.prefix(8) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0])
        #expect(Gzip.isGzip(packed))
        for other in [[], [0x1F], bytes("{}"), [0x1F, 0x8C, 8]] { #expect(!Gzip.isGzip(other)) }
    }

    @Test("many threads share the streams")
    func threads() throws {
        let work = (0..<8).map { seed in
            OutcomeOfThread {
                for round in 0..<50 {
                    let content = [UInt8](repeating: UInt8(seed), count: 100 * round + seed)
                    guard try Gzip.decompress(Gzip.compress(content), maximumBytes: 10_000) == content else {
                        return false
                    }
                }
                return true
            }
        }
        for outcome in work { #expect(try outcome.wait()) }
    }

    // MARK: - Other tools

    @Test("zcat reads ours", .enabled(if: Tool.gzip != nil))
    func gzipReadsOurs() throws {
        let content = bytes(String(repeating: "Вопрос 1: что это?\n", count: 2000))
        try withTemporaryFolder { root in
            let files = try POSIXFileSystem(root: root)
            try files.writeDurably(try Gzip.compress(content), to: "a.gz", temporaryFolder: "")
            try files.writeDurably(try Gzip.compress([]), to: "empty.gz", temporaryFolder: "")
            #expect(try Tool.run(["-dc", root.appending("a.gz").string]) == content)
            #expect(try Tool.run(["-dc", root.appending("empty.gz").string]) == [])
            #expect(try Tool.run(["-t", root.appending("a.gz").string]) == [])
        }
    }

    @Test("what gzip made is read: with a name, with a time, at every level", .enabled(if: Tool.gzip != nil))
    func oursReadsGzip() throws {
        let content = bytes(String(repeating: "Вопрос 1: что это?\n", count: 2000))
        try withTemporaryFolder { root in
            let files = try POSIXFileSystem(root: root)
            try files.writeDurably(content, to: "name.txt", temporaryFolder: "")
            for arguments in [["-N", "-1"], ["-n", "-9"], ["-6"]] {
                let packed = try Tool.run(["-c"] + arguments + [root.appending("name.txt").string])
                #expect(try Gzip.decompress(packed, maximumBytes: content.count) == content)
            }
        }
    }

    @Test("members in a row are one text, as zcat reads them")
    func members() throws {
        let parts = ["one", "", "two", String(repeating: "three", count: 10_000), ""]
        let packed = try parts.flatMap { try Gzip.compress(bytes($0)) }
        #expect(try Gzip.decompress(packed, maximumBytes: 60_000) == bytes(parts.joined()))
        let thousand = try (0..<1000).flatMap { try Gzip.compress(bytes("\($0),")) }
        #expect(try Gzip.decompress(thousand, maximumBytes: 10_000) == bytes((0..<1000).map { "\($0)," }.joined()))
    }

    // MARK: - Damage

    @Test("a text that ends too early is called so, wherever it ends")
    func truncated() throws {
        let packed = try Gzip.compress(bytes(String(repeating: "a question and its answer; ", count: 20)))
        for count in 0..<packed.count {
            let fault = #expect(throws: GzipFault.self) {
                try Gzip.decompress(Array(packed.prefix(count)), maximumBytes: 10_000)
            }
            #expect(fault == (count < 2 ? .notGzip : .truncated), "\(count) bytes")
        }
        let two = packed + packed
        for count in packed.count + 2..<two.count {
            let fault = #expect(throws: GzipFault.self) {
                try Gzip.decompress(Array(two.prefix(count)), maximumBytes: 10_000)
            }
            #expect(fault == .truncated, "\(count) bytes")
        }
    }

    @Test("bytes behind the end are counted and refused")
    func trailing() throws {
        let packed = try Gzip.compress(bytes("text"))
        for extra in [[0], [0, 0, 0, 0], bytes("{}"), [0x1F]] {
            #expect(throws: GzipFault.trailingBytes(extra.count)) {
                try Gzip.decompress(packed + extra, maximumBytes: 100)
            }
        }
    }

    @Test("what is no gzip is called so")
    func notGzip() throws {
        for content in [[], bytes("{}"), bytes("PK\u{3}\u{4}"), [0x78, 0x9C, 3, 0, 0, 0, 0, 1]] {
            #expect(throws: GzipFault.notGzip) { try Gzip.decompress(content, maximumBytes: 100) }
        }
    }

    @Test("a wrong checksum or length is damage")
    func checksum() throws {
        let packed = try Gzip.compress(bytes("text"))
        for place in packed.count - 8..<packed.count {
            var damaged = packed
            damaged[place] ^= 1
            let fault = #expect(throws: GzipFault.self) { try Gzip.decompress(damaged, maximumBytes: 100) }
            guard case .damaged(let reason) = fault else {
                Issue.record("\(String(describing: fault))")
                continue
            }
            #expect(!reason.isEmpty)
        }
    }

    @Test("random damage gives the same bytes or a fault, never a crash", arguments: 0..<20)
    func randomDamage(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let length = Int.random(in: 0...3000, using: &generator)
        let content = (0..<length).map { _ in UInt8.random(in: 97...100, using: &generator) }
        let packed = try Gzip.compress(content)
        for round in 0..<300 {
            var damaged = packed
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0...damaged.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0 where place < damaged.count:
                    damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 1 where place < damaged.count: damaged.remove(at: place)
                case 2: damaged.insert(UInt8.random(in: 0...255, using: &generator), at: place)
                default: damaged.removeLast(min(damaged.count, Int.random(in: 0...3, using: &generator)))
                }
            }
            do {
                let result = try Gzip.decompress(damaged, maximumBytes: 10_000)
                #expect(result == content, "seed \(seed), round \(round)")
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }

    @Test("random bytes behind a gzip header are refused", arguments: 0..<20)
    func randomBytes(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for round in 0..<100 {
            let count = Int.random(in: 0...500, using: &generator)
            let junk = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(throws: GzipFault.self, "seed \(seed), round \(round)") {
                try Gzip.decompress([0x1F, 0x8B, 8, 0] + junk, maximumBytes: 100_000)
            }
        }
    }

    // MARK: - Bounds

    @Test("the bound is exact")
    func bound() throws {
        let content = [UInt8](repeating: 7, count: 1000)
        let packed = try Gzip.compress(content)
        #expect(try Gzip.decompress(packed, maximumBytes: 1000) == content)
        #expect(throws: GzipFault.tooLong(maximumBytes: 999)) { try Gzip.decompress(packed, maximumBytes: 999) }
        #expect(throws: GzipFault.tooLong(maximumBytes: 0)) { try Gzip.decompress(packed, maximumBytes: 0) }
        #expect(try Gzip.decompress(try Gzip.compress([]), maximumBytes: 0) == [])
        #expect(try Gzip.decompress(packed, maximumBytes: .max) == content)
    }

    @Test("a bomb is refused before it is unpacked, in one member or in many")
    func bombs() throws {
        let bomb = try Gzip.compress([UInt8](repeating: 0, count: 64 << 20))
        #expect(bomb.count < 100_000)
        #expect(throws: GzipFault.tooLong(maximumBytes: 1 << 20)) {
            try Gzip.decompress(bomb, maximumBytes: 1 << 20)
        }
        let member = try Gzip.compress([UInt8](repeating: 0, count: 1 << 20))
        let many = Array(repeatElement(member, count: 64).joined())
        #expect(throws: GzipFault.tooLong(maximumBytes: 1 << 20)) {
            try Gzip.decompress(many, maximumBytes: 1 << 20)
        }
    }

    @Test("a length that lies is not believed")
    func lyingLength() throws {
        var packed = try Gzip.compress(bytes("text"))
        packed.replaceSubrange(packed.count - 4..<packed.count, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: GzipFault.damaged("incorrect length check")) {
            try Gzip.decompress(packed, maximumBytes: 1 << 30)
        }
    }
}

/// The system's gzip.
private enum Tool {
    static let gzip = ["/usr/bin/gzip", "/bin/gzip"].first { FileManager.default.isExecutableFile(atPath: $0) }

    static func run(_ arguments: [String]) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(gzip))
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return Array(data)
    }
}
