import Authoring

extension Screens.Content {
    /// A screen on which questionnaires are written.
    init(_ page: AuthoringPage) {
        self.init(template: .message, title: page.title, model: [:], status: page.status, authored: page)
        said = page.said.map { PageNote(PageNote.Kind(rawValue: $0.kind) ?? .calm, $0.text) }
    }
}
