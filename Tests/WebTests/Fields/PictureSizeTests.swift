import Model
import Testing

@testable import Web

@Suite("The size of a picture")
struct PictureSizeTests {
    private func bytes(_ hex: String, then count: Int = 40) -> [UInt8] {
        (Hexadecimal.decode(hex.filter { $0 != " " }) ?? []) + [UInt8](repeating: 0, count: count)
    }

    @Test("PNG, GIF, JPEG and WebP say theirs in their first bytes")
    func known() {
        func size(_ hex: String) -> [Int]? { PictureSize(bytes(hex)).map { [$0.width, $0.height] } }
        #expect(size("89504E470D0A1A0A 0000000D 49484452 00000280 000001E0") == [640, 480])
        #expect(size("474946383961 8002 E001") == [640, 480])
        #expect(size("FFD8 FFE0 0004 0000 FFC0 0011 08 01E0 0280") == [640, 480])
        #expect(size("FFD8 FFDB 0004 0000 FFC4 0003 00 FFC2 0011 08 01E0 0280") == [640, 480])
        #expect(size("52494646 00000000 57454250 56503820 00000000 300100 9D012A 8002 E001") == [640, 480])
        #expect(size("52494646 00000000 57454250 56503858 0A000000 00000000 7F0200 DF0100") == [640, 480])
        #expect(size("52494646 00000000 57454250 5650384C 00000000 2F 7FC27700") == [640, 480])
    }

    @Test("what is cut, turned by a camera, no picture, or impossible has none")
    func unknown() {
        for hex in [
            "", "89504E47", "FFD8", "FFD8 FFE1 0008 45786966 0000 FFC0 0011 08 01E0 0280", "FFD8 FFE0 FFFF",
            "FFD8 FFE0 0000",
            "52494646 00000000 57454250", "89504E470D0A1A0A 0000000D 49484452 00000000 000001E0", "3C737667",
        ] {
            #expect(PictureSize(bytes(hex, then: 0)) == nil, "\(hex)")
        }
        #expect(PictureSize([UInt8](repeating: 0xFF, count: 1 << 16)) == nil)
    }
}
