import HTTPServing
import Model

/// Pictures and sounds as the template of the taker’s page shows them.
struct MediaModels {
    let page: DraftPage

    func models(_ media: [Media]) -> [[String: any Sendable]] { media.map { model($0.path, $0.type, $0.alt ?? "") } }

    func model(_ path: String, _ stated: String?, _ alt: String) -> [String: any Sendable] {
        let language = page.language
        // A template looks for what is missing in the page around it.
        var model: [String: any Sendable] = [
            "src": src(path), "alt": alt, "picture": false, "sound": false, "film": false, "other": false,
            "missing": false, "size": false,
            "enlarge": language.text("Enlarge the picture") + (alt.isEmpty ? "" : ": \(alt)"),
        ]
        switch MediaKind(stated ?? MediaType.of(fileName: path)) {
        case .picture: model["picture"] = true
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

    private func src(_ path: String) -> String {
        page.href(
            "file/" + path.split(separator: "/").map { PercentEncoding.encode(String($0)) }.joined(separator: "/"))
    }
}
