import HTTPServing
import Model

/// The pictures and sounds of a question or a section.
struct MediaScreen {
    let page: DraftPage
    let place: MediaPlace
    var fault: String?
    /// The typed description of a refused file.
    var alt = ""

    var href: String {
        switch place {
        case .question(let id): page.href(question: id) + "/media"
        case .section(let id): page.href(section: id) + "/media"
        }
    }

    private var backHref: String {
        switch place {
        case .question(let id): page.href(question: id)
        case .section(let id): page.href(section: id)
        }
    }

    private var name: String {
        switch place {
        case .question(let id):
            let text = page.document.textFormat.line(of: page.document.question(id)?.text ?? "")
            return text.trimmed.isEmpty ? page.language.text("Without a text") : String(text.prefix(200))
        case .section(let id):
            return page.document.section(id).map(SectionWords(page: page).name) ?? page.language.text("Section")
        }
    }

    /// The words of the button that leads here.
    static func words(_ members: [String: JSONValue], _ language: Language) -> String {
        let count = DraftDocument.media(members).count
        return count == 0
            ? language.text("Save and add pictures or sound")
            : language.plural(
                count, one: "Save and go to 1 picture or sound", other: "Save and go to \(count) pictures and sounds")
    }

    func content() throws -> AuthoringScreens.Content {
        let language = page.language
        let media = page.document.media(at: place) ?? []
        let models = MediaModels(page: page)
        var model: [String: any Sendable] = [
            "action": href, "backHref": backHref, "heading": name, "empty": media.isEmpty,
            "items": media.enumerated().map { number, medium -> [String: any Sendable] in
                let path = medium["path"]?.text ?? ""
                let alt = medium["alt"]?.text ?? ""
                let name = alt.isEmpty ? language.text("File \(number + 1)") : alt
                return [
                    "n": "\(number)", "text": alt, "isFirst": number == 0,
                    "media": [models.model(path, medium["type"]?.text, alt)],
                    "altLabel": language.text("Description of file \(number + 1)"),
                    "upLabel": language.text("Move up: \(name)"), "removeLabel": language.text("Remove: \(name)"),
                ]
            },
        ]
        model["fault"] = fault
        model["newAlt"] = alt
        var content = try page.content(.draftmedia, "media", model)
        if fault != nil { content.status = .unprocessableContent }
        return content
    }
}
