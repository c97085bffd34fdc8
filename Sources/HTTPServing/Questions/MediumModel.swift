import Localization
import Model

/// A picture, sound or film as the template of all pages shows it.
///
/// The template looks for a name that is not here in the models around, such as those of the question's own fields, so every
/// name is here.
package enum MediumModel {
    private static let none: [String: any Sendable] = [
        "src": "", "alt": "", "enlarge": "", "picture": false, "sound": false, "film": false, "other": false,
        "missing": false, "size": false,
    ]

    /// - Parameters:
    ///   - alt: the author's description; may be empty.
    ///   - size: of a picture, in pixels, where it is known.
    package static func model(
        _ kind: MediaKind, src: String, alt: String, size: (width: Int, height: Int)? = nil, _ language: Language
    ) -> [String: any Sendable] {
        var model = none
        model["src"] = src
        model["alt"] = alt
        switch kind {
        case .picture:
            model["picture"] = true
            if let size { model["size"] = ["width": "\(size.width)", "height": "\(size.height)"] }
            model["enlarge"] = language.text("Enlarge the picture") + (alt.isEmpty ? "" : ": \(alt)")
        case .sound:
            model["sound"] = true
            if alt.isEmpty { model["alt"] = language.text("Sound") }
        case .film:
            model["film"] = true
            if alt.isEmpty { model["alt"] = language.text("Film") }
        case .other:
            model["other"] = true
            if alt.isEmpty { model["alt"] = language.text("Attachment") }
        }
        return model
    }

    /// One whose file is not here.
    package static func missing(_ words: String) -> [String: any Sendable] { none.merging(["missing": words]) { $1 } }
}
