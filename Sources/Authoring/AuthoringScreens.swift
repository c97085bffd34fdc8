import HTTPTypes
import Model
import Templates

/// Makes screens of models.
package struct AuthoringScreens: Sendable {
    private let library: TemplateLibrary

    /// A screen before it is HTML.
    struct Content: Sendable {
        var template: Template
        var title: String
        var model: [String: any Sendable]
        var status: HTTPResponse.Status = .ok
        /// The note about the last action.
        var said: (kind: String, text: String)?
        var hasFrames = false
    }

    enum Template: String, CaseIterable {
        case writing, option, draft, draftnew, draftquestion, draftsettings, draftpublish, drafttrial, draftpaste,
            draftsection, draftmerge, previewframe, conditions, draftcopy, draftmedia, question, media, timed,
            writtenversions, draftversion

        var bytes: [UInt8] {
            switch self {
            case .writing: PackageResources.writing_mustache
            case .option: PackageResources.option_mustache
            case .draft: PackageResources.draft_mustache
            case .draftnew: PackageResources.draftnew_mustache
            case .draftquestion: PackageResources.draftquestion_mustache
            case .draftsettings: PackageResources.draftsettings_mustache
            case .draftpublish: PackageResources.draftpublish_mustache
            case .drafttrial: PackageResources.drafttrial_mustache
            case .draftpaste: PackageResources.draftpaste_mustache
            case .draftsection: PackageResources.draftsection_mustache
            case .draftmerge: PackageResources.draftmerge_mustache
            case .previewframe: PackageResources.previewframe_mustache
            case .conditions: PackageResources.conditions_mustache
            case .draftcopy: PackageResources.draftcopy_mustache
            case .draftmedia: PackageResources.draftmedia_mustache
            case .writtenversions: PackageResources.writtenversions_mustache
            case .draftversion: PackageResources.draftversion_mustache
            case .question: PackageResources.question_mustache
            case .media: PackageResources.media_mustache
            case .timed: PackageResources.timed_mustache
            }
        }
    }

    package init() {
        let sources = Template.allCases.map { ($0.rawValue, String(decoding: $0.bytes, as: UTF8.self)) }
        do {
            // A question of the taker's page shows files, which trying it out does not take.
            library = try TemplateLibrary(Dictionary(uniqueKeysWithValues: sources), omitting: ["files"])
        } catch {
            preconditionFailure("\(error)")
        }
    }

    func page(_ content: Content, _ context: AuthoringContext) -> AuthoringPage {
        var model = content.model
        model["w"] = WritingWords.all(context.language).merging(context.services.words(context.language)) { $1 }
        model["token"] = context.request.formToken
        model["rootHref"] = context.services.root
        model["homeHref"] = context.services.home
        return AuthoringPage(
            name: content.template.rawValue, title: content.title,
            html: library.render(model, with: content.template.rawValue), status: content.status, said: content.said,
            hasFrames: content.hasFrames)
    }

    /// A page for a frame, without the server's own around it.
    func frame(_ model: [String: any Sendable], _ context: AuthoringContext) -> String {
        var model = model
        model["w"] = WritingWords.all(context.language).merging(context.services.words(context.language)) { $1 }
        model["language"] = context.language.rawValue
        model["stylesheet"] = context.services.stylesheet
        return library.render(model, with: Template.previewframe.rawValue)
    }
}
