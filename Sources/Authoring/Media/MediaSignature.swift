/// The type of a picture, sound or film by its first bytes, whatever its name says.
enum MediaSignature {
    /// The brands of MP4 that browsers play (ISO/IEC 14496-12, annex E). Photos in HEIC and films of QuickTime have others.
    private static let filmBrands: Set<String> = [
        "isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "M4V ", "dash",
    ]
    private static let mostBrands = 64

    /// - Returns: `nil` for everything that is not shown or played: drawings with programs in them, pages, documents.
    static func type(of bytes: [UInt8]) -> String? {
        func begins(_ text: String, at place: Int = 0) -> Bool {
            bytes.count >= place + text.utf8.count && bytes[place...].starts(with: text.utf8)
        }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if begins("GIF87a") || begins("GIF89a") { return "image/gif" }
        if begins("RIFF"), begins("WEBP", at: 8) { return "image/webp" }
        if begins("RIFF"), begins("WAVE", at: 8) { return "audio/wav" }
        if begins("OggS") { return "audio/ogg" }
        if begins("fLaC") { return "audio/flac" }
        if begins("ID3") || bytes.count > 2 && bytes[0] == 0xFF && [0xFB, 0xF3, 0xF2].contains(bytes[1]) {
            return "audio/mpeg"
        }
        if begins("ftyp", at: 4) {
            let brands = brands(of: bytes)
            if !brands.isDisjoint(with: ["avif", "avis"]) { return "image/avif" }
            if begins("M4A ", at: 8) { return "audio/mp4" }
            return bytes.count >= 12 && filmBrands.contains(text(bytes[8..<12])) ? "video/mp4" : nil
        }
        if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]), isWebM(bytes) { return "video/webm" }
        return nil
    }

    /// The major brand and the compatible ones of a file's type box.
    private static func brands(of bytes: [UInt8]) -> Set<String> {
        guard bytes.count >= 12 else { return [] }
        let stated = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
        let end = min(stated, bytes.count, 16 + 4 * mostBrands)
        var brands: Set<String> = [text(bytes[8..<12])]
        // Between them is a version.
        for place in stride(from: 16, through: end - 4, by: 4) { brands.insert(text(bytes[place..<place + 4])) }
        return brands
    }

    /// Whether the head of an EBML file says WebM, and not Matroska (RFC 8794, section 11.2.6: `DocType`).
    private static func isWebM(_ bytes: [UInt8]) -> Bool {
        let head = bytes.prefix(64)
        guard let element = head.firstRange(of: [0x42, 0x82]) else { return false }
        return head[element.upperBound...].contains(Array("webm".utf8))
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
