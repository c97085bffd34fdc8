/// The type of a picture, sound or film by its first bytes, whatever its name says.
enum MediaSignature {
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
            if begins("avif", at: 8) || begins("avis", at: 8) { return "image/avif" }
            return begins("M4A ", at: 8) ? "audio/mp4" : "video/mp4"
        }
        // Matroska and WebM (RFC 8794, section 11.2.1).
        if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return "video/webm" }
        return nil
    }
}
