import AuthorDrafts
import HTTPServing
import Model

/// The screens of pictures and sounds of a draft: what they show, send, and take.
struct MediaRouter {
    let writing: WritingRouter

    private var context: AuthoringContext { writing.context }
    private var request: AuthoringRequest { context.request }
    private var language: Language { context.language }

    /// A file that the draft shows.
    func file(_ path: [String], _ page: DraftPage) throws -> AuthoringReply {
        let response = try context.services.media(
            path.joined(separator: "/"), of: page.draft.id, request.fields, isHead: request.method == .head)
        guard let response else { throw AuthoringError.notFound }
        return .response(response)
    }

    func show(_ place: MediaPlace, _ page: DraftPage) throws -> AuthoringReply {
        guard page.document.media(at: place) != nil else { return .seeOther(page.href(said: "changed")) }
        return writing.shown(try MediaScreen(page: page, place: place).content())
    }

    func change(_ place: MediaPlace, _ page: DraftPage) throws -> AuthoringReply {
        guard let media = page.document.media(at: place) else { return .seeOther(page.href(said: "changed")) }
        // Whatever button was pressed, the typed descriptions are saved with it.
        let texts = media.indices.reduce(into: [Int: String]()) { texts, number in
            texts[number] = request.form["alt.\(number)"]?.unixLines.trimmed
        }
        var edits: [DraftEdit] = [.media(place, .describe(texts))]
        let action = (request.form["do"] ?? "save").split(separator: ".")
        let number = action.count > 1 ? Int(action[1]) : nil
        switch action.first {
        case "remove": if let number { edits.append(.media(place, .remove(number))) }
        case "up": if let number { edits.append(.media(place, .up(number))) }
        default: break
        }
        var fault: String?
        // A chosen file is added by each button, and by the Enter key, which presses the first one.
        if action.first == "add" || request.file?.bytes.isEmpty == false {
            switch try kept(page) {
            case .kept(let path, let type):
                let alt = (request.form["alt"] ?? "").unixLines.trimmed
                edits.append(.media(place, .add(path: path, type: type, alt: alt)))
            case .refused(let reason): fault = reason
            }
        }
        let saved = try writing.carryOut(.all(edits), on: page) { $0.media(at: place) }
        if saved == nil { return .seeOther(page.href(said: "changed")) }
        var screen = MediaScreen(page: try writing.latest(page), place: place)
        guard let fault else { return .seeOther(screen.href + "?said=saved") }
        screen.fault = fault
        screen.alt = (request.form["alt"] ?? "").unixLines.trimmed
        return writing.shown(try screen.content())
    }

    private enum Kept {
        case kept(path: String, type: String)
        case refused(String)
    }

    /// Puts the sent file into the draft's folder.
    private func kept(_ page: DraftPage) throws -> Kept {
        guard let file = request.file, !file.bytes.isEmpty else {
            return .refused(language.text("Choose a file first."))
        }
        guard let type = MediaSignature.type(of: file.bytes) else {
            return .refused(
                language.text(
                    "“\(String(file.name.prefix(80)))” is not a picture, sound or film that is shown everywhere. Choose PNG, JPEG, GIF, WebP, AVIF, MP3, OGG, WAV, FLAC, M4A, MP4 or WebM; save a drawing in SVG as PNG first."
                ))
        }
        guard let path = try context.services.drafts.keep(file.bytes, type: type, of: page.draft.id) else {
            return .refused(language.text("This draft has too many files already."))
        }
        return .kept(path: path.description, type: type)
    }
}
