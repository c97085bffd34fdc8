/// The size of a picture in pixels, from the first bytes of its file: the browser reserves its space before it is
/// loaded.
struct PictureSize: Hashable, Sendable {
    var width: Int
    var height: Int

    /// So much of a file is looked at.
    static let lookedAt = 64 << 10

    /// `nil` for any other format than PNG, GIF, WebP or JPEG, and for a JPEG that a camera may have rotated (EXIF).
    init?(_ bytes: [UInt8]) {
        guard let found = Self.png(bytes) ?? Self.gif(bytes) ?? Self.webP(bytes) ?? Self.jpeg(bytes),
            (1...100_000).contains(found.width), (1...100_000).contains(found.height)
        else { return nil }
        (width, height) = found
    }

    private typealias Size = (width: Int, height: Int)

    private static func begins(_ bytes: [UInt8], _ text: String, at place: Int = 0) -> Bool {
        bytes.count >= place + text.utf8.count && bytes[place...].starts(with: text.utf8)
    }

    private static func big(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
        bytes[place..<(place + count)].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func little(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
        bytes[place..<(place + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// PNG (W3C, section 11.2.2): the first chunk is IHDR.
    private static func png(_ bytes: [UInt8]) -> Size? {
        guard bytes.count >= 24, bytes[0] == 0x89, begins(bytes, "PNG", at: 1), begins(bytes, "IHDR", at: 12) else {
            return nil
        }
        return (big(bytes, 16, 4), big(bytes, 20, 4))
    }

    private static func gif(_ bytes: [UInt8]) -> Size? {
        guard bytes.count >= 10, begins(bytes, "GIF8") else { return nil }
        return (little(bytes, 6, 2), little(bytes, 8, 2))
    }

    /// WebP (RFC 9649, sections 2.5 to 2.7).
    private static func webP(_ bytes: [UInt8]) -> Size? {
        guard bytes.count >= 30, begins(bytes, "RIFF"), begins(bytes, "WEBP", at: 8) else { return nil }
        if begins(bytes, "VP8X", at: 12) { return (little(bytes, 24, 3) + 1, little(bytes, 27, 3) + 1) }
        if begins(bytes, "VP8 ", at: 12) { return (little(bytes, 26, 2) & 0x3FFF, little(bytes, 28, 2) & 0x3FFF) }
        guard begins(bytes, "VP8L", at: 12) else { return nil }
        let bits = little(bytes, 21, 4)
        return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    }

    /// JPEG (ITU-T T.81, annex B): the segments up to the first frame header.
    private static func jpeg(_ bytes: [UInt8]) -> Size? {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return nil }
        var place = 2
        while place + 9 <= bytes.count, bytes[place] == 0xFF {
            let (marker, length) = (bytes[place + 1], big(bytes, place + 2, 2))
            if marker == 0xE1, begins(bytes, "Exif", at: place + 4) { return nil }
            let isFrame = (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
            if isFrame { return (big(bytes, place + 7, 2), big(bytes, place + 5, 2)) }
            place += 2 + max(length, 2)
        }
        return nil
    }
}
