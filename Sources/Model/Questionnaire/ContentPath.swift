/// The path, below a questionnaire, of a file that was attached on a device: `media/<64 hex digits>.png`. It is named
/// by its content: equal files are stored once, and none ever changes.
public struct ContentPath: Hashable, Sendable, CustomStringConvertible {
    /// The folder of such files.
    package static let folder = "media"

    package let digest: Digest
    /// The file extension, without the dot.
    package let ending: String

    static let longestEnding = 8

    /// - Parameter mediaType: decides the extension, whatever the file's name was.
    package init(_ digest: Digest, mediaType: String) {
        self.digest = digest
        ending = MediaType.ending(of: mediaType) ?? "bin"
    }

    /// - Returns: `nil` for a path that is not exactly of this form.
    package init?(_ text: String) {
        let prefix = Self.folder + "/"
        guard text.hasPrefix(prefix) else { return nil }
        let parts = text.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let digest = Digest(hex: String(parts[0])), digest.hex == parts[0],
            (1...Self.longestEnding).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) })
        else { return nil }
        self.digest = digest
        ending = String(parts[1])
    }

    /// The name of the file alone.
    package var fileName: String { "\(digest.hex).\(ending)" }
    public var description: String { "\(Self.folder)/\(fileName)" }
}

extension Questionnaire {
    /// The files that it names by their content, each once.
    package var contentPaths: Set<ContentPath> { Set(media.compactMap { ContentPath($0.path) }) }
}
