/// Media types (RFC 6838) of files.
package enum MediaType {
    package static let unknown = "application/octet-stream"

    /// The stated type if it is valid, else the one of the file's extension.
    package static func of(fileName: String, stated: String? = nil) -> String {
        if let stated, isType(stated) { return stated }
        let name = fileName.lowercased()
        guard let dot = name.lastIndex(of: ".") else { return unknown }
        return byExtension[String(name[name.index(after: dot)...])] ?? unknown
    }

    /// The type and subtype in lowercase, without parameters.
    package static func name(_ type: String) -> String {
        type.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
    }

    /// The file extension of a type; `nil` for an unknown type. Each type has exactly one extension.
    package static func ending(of type: String) -> String? {
        let wanted = name(type)
        return byExtension.filter { name($0.value) == wanted }.keys.min { ($0.utf8.count, $1) < ($1.utf8.count, $0) }
    }

    private static let byExtension = [
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
        "avif": "image/avif", "heic": "image/heic", "svg": "image/svg+xml", "bmp": "image/bmp", "mp3": "audio/mpeg",
        "m4a": "audio/mp4", "ogg": "audio/ogg", "oga": "audio/ogg", "opus": "audio/ogg", "wav": "audio/wav",
        "flac": "audio/flac", "mp4": "video/mp4", "mov": "video/quicktime", "webm": "video/webm", "ogv": "video/ogg",
        "pdf": "application/pdf", "json": "application/json", "txt": "text/plain; charset=utf-8",
    ]

    /// `type/subtype` followed by nothing but parameters, of characters allowed in a field's value.
    package static func isType(_ text: String) -> Bool {
        let parts = text.prefix { $0 != ";" }.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 200, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            return false
        }
        return parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { token.contains($0) }
        }
    }

    private static let token = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&-^_.+".utf8)
}
