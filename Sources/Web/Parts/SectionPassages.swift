import HTTPServing
import Model
import RichText

/// What is read above the questions of a section, as the templates show it.
struct SectionPassages: Sendable {
    private let texts: AuthorTexts
    private let format: TextFormat
    private let locale: String?
    private let words: PageWords

    init(_ questionnaire: Questionnaire?, _ words: PageWords) {
        texts = AuthorTexts(questionnaire)
        format = questionnaire?.textFormat ?? .plain
        locale = questionnaire?.locale
        self.words = words
    }

    /// The title of a section on one line; `nil` for none.
    func title(of section: Section?) -> String? {
        section?.title.flatMap { $0.isEmpty ? nil : texts.line($0) }
    }

    /// The title as a heading above lines or cards; nothing for a section without one.
    func addHeading(of section: Section?, to model: inout [String: any Sendable]) {
        guard let title = title(of: section) else { return }
        var heading: [String: any Sendable] = ["text": title, "dir": texts.direction]
        heading["locale"] = locale
        model["heading"] = heading
    }

    /// - Parameters:
    ///   - isOpen: whether it is unfolded.
    ///   - media: as the templates show them.
    /// - Returns: `nil` for a section with nothing to read.
    func model(
        of section: Section?, isOpen: Bool, media: [[String: any Sendable]] = []
    ) -> [String: any Sendable]? {
        guard let section, section.hasPassage else { return nil }
        var model: [String: any Sendable] = [
            "dir": texts.direction, "open": isOpen, "media": media,
            "name": words.text("Material for these questions"),
        ]
        model["locale"] = locale
        model["title"] = title(of: section)
        let text = section.text.flatMap { $0.isEmpty ? nil : $0 }
        model["hasMore"] = text != nil || !media.isEmpty
        guard let text else { return model }
        if let tree = format.tree(of: text) {
            model["formatted"] = tree.html(headingLevel: 3)
        } else {
            model["text"] = text
        }
        return model
    }
}
