/// How a medium may be shown, by its type. The type is one of ours, whatever the server sent.
package enum MediaKind: Hashable, Sendable {
    case picture(String)
    case sound(String)
    case film(String)
    /// To be saved, never shown.
    case other

    package init(_ mediaType: String) {
        let name = MediaType.name(mediaType)
        switch name {
        case "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml": self = .picture(name)
        case "audio/mpeg", "audio/ogg", "audio/wav", "audio/x-wav", "audio/mp4", "audio/aac", "audio/flac",
            "audio/webm":
            self = .sound(name)
        case "video/mp4", "video/webm", "video/ogg": self = .film(name)
        default: self = .other
        }
    }

    package var sentType: String {
        switch self {
        case .picture(let type), .sound(let type), .film(let type): type
        case .other: "application/octet-stream"
        }
    }
}
