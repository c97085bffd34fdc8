import Model
import Simulation
import Testing

@Suite("A digest is SHA-256 in hexadecimal")
struct DigestTests {
    /// FIPS 180-4, and RFC 6234 section 8.5.
    @Test(
        "known bytes have their known digests",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func vectors(_ text: String, _ hex: String) {
        let digest = Digest(sha256Of: text.utf8)
        #expect(digest.hex == hex)
        #expect(digest.description == "sha256:" + hex)
        #expect(Digest(hex: hex) == digest)
        #expect(Digest(hex: hex.uppercased()) == digest)
        #expect(Digest(bytes: digest.bytes) == digest)
        // Not contiguous in memory.
        #expect(Digest(sha256Of: text.utf8.lazy.map { $0 }) == digest)
    }

    @Test("a million letters have their known digest")
    func million() {
        let digest = Digest(sha256Of: repeatElement(UInt8(ascii: "a"), count: 1_000_000))
        #expect(digest.hex == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("bytes that come in pieces have the digest of the whole", arguments: 0..<10)
    func pieces(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let content = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var builder = DigestBuilder()
        var rest = content[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...700, using: &generator))
            piece.withUnsafeBytes { builder.update($0) }
            rest = rest.dropFirst(piece.count)
        }
        #expect(builder.finish() == Digest(sha256Of: content))
    }

    @Test(
        "anything but 64 hexadecimal digits is refused",
        arguments: [
            "", "3f", String(repeating: "0", count: 63), String(repeating: "0", count: 65),
            String(repeating: "0", count: 66), String(repeating: "g", count: 64), String(repeating: "٣", count: 64),
            String(repeating: "٣", count: 32), " " + String(repeating: "0", count: 63),
        ])
    func refused(_ text: String) {
        #expect(Digest(hex: text) == nil)
    }

    @Test("31 or 33 bytes are no digest")
    func lengths() {
        #expect(Digest(bytes: [UInt8](repeating: 0, count: 31)) == nil)
        #expect(Digest(bytes: [UInt8](repeating: 0, count: 33)) == nil)
    }

    @Test("in JSON it carries its algorithm, and one without is named")
    func json() throws {
        let digest = Digest(sha256Of: "abc".utf8)
        let text = try DocumentCoding.encodeLine(["digest": digest])
        #expect(String(decoding: text, as: UTF8.self) == "{\"digest\":\"sha256:\(digest.hex)\"}\n")
        #expect(try DocumentCoding.decode([String: Digest].self, from: text) == ["digest": digest])
        for wrong in [digest.hex, "md5:" + digest.hex, "sha256:12", "SHA256:" + digest.hex] {
            let fault = #expect(throws: DocumentFault.self) {
                try DocumentCoding.decode([String: Digest].self, from: bytes("{\"digest\": \"\(wrong)\"}"))
            }
            #expect(fault?.field == "digest")
        }
    }

    @Test("hexadecimal goes both ways")
    func hexadecimal() {
        let all = Array(UInt8.min...UInt8.max)
        #expect(Hexadecimal.decode(Hexadecimal.encode(all)) == all)
        #expect(Hexadecimal.encode([]).isEmpty)
        #expect(Hexadecimal.decode("") == [])
        #expect(Hexadecimal.decode("aB") == [0xAB])
        for wrong in ["a", "0x", "a ", "/0", ":0", "@0", "G0", "`0", "g0"] { #expect(Hexadecimal.decode(wrong) == nil) }
    }
}
