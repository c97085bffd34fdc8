import Model
import SystemPackage

/// The path of a picture, sound or video below the folder of questionnaires: it cannot lead out of it and cannot name a
/// questionnaire's own file, which holds the answer key.
package struct MediaPath: Hashable, Sendable {
    package let components: [String]

    static let maximumLength = 1024

    /// Reads a path as a questionnaire writes it, like `media/compass.png`.
    ///
    /// - Returns: `nil` for a path that is absolute, is a URL, has `..`, a hidden name or a control character in it,
    ///   or names a JSON file directly in the folder.
    package init?(_ text: String) {
        guard text.utf8.count <= MediaPath.maximumLength else { return nil }
        self.init(components: text.split(separator: "/", omittingEmptySubsequences: false).map { String($0) })
    }

    /// That of a file which a device attached to a questionnaire.
    init(_ path: ContentPath) { components = [ContentPath.folder, path.fileName] }

    init?(components: [String]) {
        guard let first = components.first, components.allSatisfy(MediaPath.isPlain) else { return nil }
        // A colon in the first segment would make the reference an absolute URL (RFC 3986 section 4.2).
        if first.contains(":") { return nil }
        if components.count == 1, HostLayout.mayBeQuestionnaire(fileName: first) { return nil }
        self.components = components
    }

    private static func isPlain(_ component: String) -> Bool {
        guard let first = component.unicodeScalars.first, first != "." else { return false }
        return !component.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F || $0 == "/" || $0 == "\\" }
    }

    /// The path as a relative reference: each segment percent-encoded.
    package var reference: String { components.map(PercentEncoding.encode).joined(separator: "/") }

    /// Relative to the folder of questionnaires.
    var file: FilePath { FilePath(components.joined(separator: "/")) }

    /// The folders on the way to the file, the outermost first.
    var folders: [FilePath] {
        components.indices.dropFirst().map { FilePath(components[..<$0].joined(separator: "/")) }
    }
}
