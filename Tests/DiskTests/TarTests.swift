import Disk
import Model
import Testing

@Suite("Tar archives")
struct TarTests {
    private func source(_ bytes: [UInt8], pieceBytes: Int = 100) -> TarReader.Source {
        var rest = bytes[...]
        return { buffer in
            let piece = rest.prefix(min(buffer.count, pieceBytes))
            buffer.copyBytes(from: piece)
            rest = rest.dropFirst(piece.count)
            return piece.count
        }
    }

    private func file(_ name: String, _ content: String, modified: Int64 = 1_700_000_000) -> [UInt8] {
        let bytes = Array(content.utf8)
        let member = TarMember(
            name: name, kind: .file, sizeBytes: Int64(bytes.count), modified: Timestamp(secondsSinceEpoch: modified))
        return TarFormat.header(member) + bytes + TarFormat.padding(after: bytes.count)
    }

    private func read(_ bytes: [UInt8]) throws -> [(TarMember, String)] {
        var reader = TarReader(source(bytes))
        var members: [(TarMember, String)] = []
        while let member = try reader.next() {
            let content = try reader.content(maximumBytes: 1 << 20)
            members.append((member, String(decoding: content, as: UTF8.self)))
        }
        return members
    }

    private func fault(_ bytes: [UInt8]) -> TarFault? {
        do {
            _ = try read(bytes)
            return nil
        } catch { return error as? TarFault }
    }

    /// A header with a field set by hand, its checksum made right again.
    private func header(
        _ name: String, type: Character = "0", size: String = "00000000000", at place: Int? = nil, _ field: [UInt8] = []
    ) -> [UInt8] {
        var block = TarFormat.header(TarMember(name: name, kind: .file))
        func put(_ bytes: [UInt8], _ place: Int) {
            for (offset, byte) in bytes.enumerated() { block[place + offset] = byte }
        }
        put(Array(size.utf8), 124)
        block[156] = type.asciiValue ?? 0
        if let place { put(field, place) }
        put(Array("        ".utf8), 148)
        let sum = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
        put(Array((String(repeating: "0", count: 6 - sum.count) + sum).utf8) + [0, 0x20], 148)
        return block
    }

    @Test("what was written is read, in whatever pieces it comes", arguments: [1, 7, 511, 512, 513, 100_000])
    func roundTrip(_ pieceBytes: Int) throws {
        let folder = TarFormat.header(TarMember(name: "outbox", kind: .folder))
        let archive =
            folder + file("outbox/a", "hello") + file("outbox/b", "")
            + file("outbox/c", String(repeating: "x", count: 1024)) + TarFormat.end
        var reader = TarReader(source(archive, pieceBytes: pieceBytes))
        #expect(try reader.next() == TarMember(name: "outbox", kind: .folder))
        #expect(try reader.next()?.modified == Timestamp(secondsSinceEpoch: 1_700_000_000))
        #expect(try reader.content(maximumBytes: 5) == Array("hello".utf8))
        // What is not read is passed over.
        #expect(try reader.next()?.name == "outbox/b")
        #expect(try reader.next()?.sizeBytes == 1024)
        #expect(try reader.next() == nil)
        #expect(try reader.next() == nil)
    }

    @Test("equal members give equal bytes, in whole blocks, that name no user")
    func deterministic() {
        let bytes = file("outbox/done/a", "hello")
        #expect(bytes == file("outbox/done/a", "hello") && bytes.count == 1024)
        #expect(bytes[265..<329].allSatisfy { $0 == 0 })
    }

    @Test("the headers of pax and of GNU tar are read")
    func extensions() throws {
        let record = "30 mtime=1795319611.695640644\n" + "18 path=outbox/long\n".replacingLength()
        let pax =
            header("x", type: "x", size: octal(record.utf8.count)) + Array(record.utf8)
            + TarFormat.padding(after: record.utf8.count)
        let long = "outbox/" + String(repeating: "n", count: 200) + "\0"
        let gnu =
            header("././@LongLink", type: "L", size: octal(long.utf8.count)) + Array(long.utf8)
            + TarFormat.padding(after: long.utf8.count)
        let members = try read(pax + file("short", "one") + gnu + file("cut", "two") + TarFormat.end)
        #expect(members.map(\.1) == ["one", "two"])
        #expect(members[0].0.name == "outbox/long")
        #expect(members[0].0.modified == Timestamp(millisecondsSinceEpoch: 1_795_319_611_695))
        #expect(members[1].0.name == String(long.dropLast()))
        // The prefix of ustar, and a size in binary.
        let prefixed = header("b", at: 345, Array("outbox/done".utf8))
        let binary =
            header("c", at: 124, [0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]) + Array("abc".utf8)
            + TarFormat.padding(after: 3)
        let others = try read(prefixed + binary + TarFormat.end)
        #expect(others.map(\.0.name) == ["outbox/done/b", "c"] && others[1].1 == "abc")
    }

    @Test("links, devices, pipes and sparse files are reported by their kind", arguments: Array("12346S9"))
    func kinds(_ type: Character) throws {
        let members = try read(header("a", type: type) + TarFormat.end)
        guard case .other(let words) = members[0].0.kind else {
            Issue.record("\(members[0].0.kind)")
            return
        }
        #expect(!words.isEmpty)
    }

    @Test("what is cut off, damaged or no archive is refused, and the fault names the member")
    func broken() {
        let archive = file("outbox/a", String(repeating: "x", count: 600)) + file("outbox/b", "y") + TarFormat.end
        for count in [1, 511, 700, 1536, 1537, 2000, 2560] {
            let found = fault(Array(archive.prefix(count)))
            #expect(found != nil, "\(count)")
            if count > 512 {
                #expect(found?.member?.hasPrefix("outbox/") == true, "\(count): \(String(describing: found))")
            }
        }
        var damaged = archive
        damaged[1536 + 3] ^= 1
        #expect(fault(damaged)?.reason.contains("checksum") == true)
        #expect(fault([])?.description.contains("empty") == true)
        #expect(fault(Array("hello".utf8))?.description.contains("no tar") == true)
        #expect(fault([0x1F, 0x8B] + [UInt8](repeating: 1, count: 600))?.description.contains("zcat") == true)
        #expect(fault(archive + archive)?.reason.contains("joined") == true)
        #expect(fault(archive + [UInt8](repeating: 0, count: 10_240)) == nil)
    }

    @Test("sizes that lie, and headers without end, are refused in bounded memory")
    func lies() {
        #expect(fault(header("big", size: "77777777777") + TarFormat.end)?.member == "big")
        #expect(fault(header("none", size: "0000000000x") + TarFormat.end)?.reason.contains("size") == true)
        let negative = header("less", at: 124, [0xFF] + [UInt8](repeating: 0xFF, count: 11))
        #expect(fault(negative + TarFormat.end)?.reason.contains("size") == true)
        #expect(fault(header("x", type: "x", size: "00000400000") + TarFormat.end)?.reason.contains("extended") == true)
        let endless = (0..<20).flatMap { _ in header("x", type: "x") }
        #expect(fault(endless + TarFormat.end)?.reason.contains("extended headers") == true)
        for record in ["9 a=b\n", "99 path=x\n", "path=x\n", "11 path=\u{0}x\n", "12 size=-12\n", "-1 a=b\n"] {
            let pax =
                header("x", type: "x", size: octal(record.utf8.count)) + Array(record.utf8)
                + TarFormat.padding(after: record.utf8.count)
            #expect(fault(pax + file("a", "") + TarFormat.end) != nil, "\(record)")
        }
        let global = "10 size=9\n"
        let pax = header("g", type: "g", size: octal(10)) + Array(global.utf8) + TarFormat.padding(after: 10)
        #expect(fault(pax + file("a", "") + TarFormat.end)?.reason.contains("all that follows") == true)
    }

    private func octal(_ number: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: 11 - text.count) + text
    }
}

extension String {
    /// With the length of the whole record before it.
    fileprivate func replacingLength() -> String {
        let rest = drop { $0 != " " }
        for digits in 1...3 {
            let length = rest.utf8.count + digits
            if String(length).count == digits { return "\(length)\(rest)" }
        }
        return self
    }
}
