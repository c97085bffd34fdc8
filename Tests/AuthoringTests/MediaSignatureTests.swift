import Testing

@testable import Authoring

@Suite("Pictures, sounds and films are known by their first bytes")
struct MediaSignatureTests {
    private static func box(_ brand: String, _ compatible: [String] = []) -> [UInt8] {
        let size = UInt8(16 + 4 * compatible.count)
        return [0, 0, 0, size] + Array("ftyp\(brand)".utf8) + [0, 0, 2, 0] + Array(compatible.joined().utf8)
            // The next box is none of its brands.
            + [0, 0, 0, 8] + Array("avif".utf8)
    }

    private static func ebml(_ type: String) -> [UInt8] {
        [
            0x1A, 0x45, 0xDF, 0xA3, 0x9F, 0x42, 0x86, 0x81, 1, 0x42, 0xF7, 0x81, 1, 0x42, 0x82,
            0x80 | UInt8(type.utf8.count),
        ]
            + Array(type.utf8) + [0x42, 0x87, 0x81, 4]
    }

    @Test(
        "films that browsers play are MP4, and photos of phones and films of QuickTime are not",
        arguments: ["isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "M4V ", "dash"])
    func films(_ brand: String) {
        #expect(MediaSignature.type(of: Self.box(brand, ["isom", "mp41"])) == "video/mp4")
        #expect(MediaSignature.type(of: Self.box("heic", ["mif1", "heic", brand])) == nil)
        #expect(MediaSignature.type(of: Self.box("qt  ", [brand])) == nil)
    }

    @Test("other brands are refused, AVIF is found among the compatible ones, and half a box harms nothing")
    func brands() {
        for brand in ["heic", "heix", "mif1", "msf1", "hevc", "qt  ", "3gp4", "    "] {
            #expect(MediaSignature.type(of: Self.box(brand, ["mif1"])) == nil, "\(brand)")
        }
        #expect(MediaSignature.type(of: Self.box("avif", ["mif1"])) == "image/avif")
        #expect(MediaSignature.type(of: Self.box("mif1", ["miaf", "avif"])) == "image/avif")
        #expect(MediaSignature.type(of: Self.box("M4A ", ["mp42", "isom"])) == "audio/mp4")
        let whole = Self.box("isom", ["avif"])
        for count in 0..<whole.count { _ = MediaSignature.type(of: Array(whole.prefix(count))) }
        #expect(MediaSignature.type(of: [0xFF, 0xFF, 0xFF, 0xFF] + Array("ftypheic".utf8)) == nil)
        #expect(MediaSignature.type(of: [0, 0, 0, 0] + Array("ftypmp42".utf8)) == "video/mp4")
    }

    @Test("WebM says so in its head; Matroska is another one")
    func webm() {
        #expect(MediaSignature.type(of: Self.ebml("webm")) == "video/webm")
        #expect(MediaSignature.type(of: Self.ebml("matroska")) == nil)
        #expect(MediaSignature.type(of: [0x1A, 0x45, 0xDF, 0xA3]) == nil)
        let late = [0x1A, 0x45, 0xDF, 0xA3] + [UInt8](repeating: 0, count: 64) + Self.ebml("webm")
        #expect(MediaSignature.type(of: late) == nil)
    }
}
