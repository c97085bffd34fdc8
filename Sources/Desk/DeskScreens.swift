import Authoring
import HTTPServing
import HTTPTypes
import Model
import Templates

/// Makes pages of models: the templates, and the frame around all of them.
struct DeskScreens: Sendable {
    let assets = DeskAssets()
    /// The screens on which questionnaires are written.
    let authoring = AuthoringScreens()
    private let library: TemplateLibrary

    /// A page's own part.
    struct Content: Sendable {
        var template: Template
        var title: String
        var model: [String: any Sendable]
        var status: HTTPResponse.Status = .ok
        /// The seconds after which the browser loads it again.
        var refresh: Int?
        /// The note about the last action.
        var said: (kind: String, text: String)?
        /// Whether it shows pages of the desk in frames.
        var hasFrames = false
    }

    enum Template: String, CaseIterable {
        case layout, login, message, home, tabs, handedin, results, answers, statistics, marking, answer, mark, test
        case again, selection, pages, watching, comments, timed
        case draftversions, draftversion

        var bytes: [UInt8] {
            switch self {
            case .layout: PackageResources.layout_mustache
            case .login: PackageResources.login_mustache
            case .message: PackageResources.message_mustache
            case .home: PackageResources.home_mustache
            case .tabs: PackageResources.tabs_mustache
            case .handedin: PackageResources.handedin_mustache
            case .results: PackageResources.results_mustache
            case .answers: PackageResources.answers_mustache
            case .statistics: PackageResources.statistics_mustache
            case .marking: PackageResources.marking_mustache
            case .answer: PackageResources.answer_mustache
            case .mark: PackageResources.mark_mustache
            case .test: PackageResources.test_mustache
            case .again: PackageResources.again_mustache
            case .draftversions: PackageResources.draftversions_mustache
            case .draftversion: PackageResources.draftversion_mustache
            case .selection: PackageResources.selection_mustache
            case .pages: PackageResources.pages_mustache
            case .watching: PackageResources.watching_mustache
            case .comments: PackageResources.comments_mustache
            case .timed: PackageResources.timed_mustache
            }
        }
    }

    init() {
        let sources = Template.allCases.map { ($0.rawValue, String(decoding: $0.bytes, as: UTF8.self)) }
        do {
            library = try TemplateLibrary(Dictionary(uniqueKeysWithValues: sources))
        } catch {
            preconditionFailure("\(error)")
        }
    }

    func page(_ content: Content, _ request: DeskRequest) -> DeskReply {
        html(content, frame(content, request.language, token: request.session.formToken), request)
    }

    /// A screen on which questionnaires are written.
    func page(_ page: AuthoringPage, _ request: DeskRequest) -> DeskReply {
        var content = Content(template: .layout, title: page.title, model: [:], status: page.status)
        content.said = page.said
        content.hasFrames = page.hasFrames
        let token = request.session.formToken
        return html(content, frame(content, page.name, page.html, request.language, token: token), request)
    }

    private func html(_ content: Content, _ frame: [String: any Sendable], _ request: DeskRequest) -> DeskReply {
        var outer = frame
        outer["target"] = request.method == .get ? request.target : "/desk/"
        let name =
            request.session.name.isEmpty ? request.language.text("This machine") : request.session.name
        let who: [String: any Sendable] = [
            "name": name, "canLeave": request.isLoggedIn, "isHome": request.path.isEmpty,
        ]
        outer["who"] = who
        return html(content, outer)
    }

    /// The form for a key.
    func login(_ language: Language, fault: String?, name: String = "", status: HTTPResponse.Status) -> DeskReply {
        var model: [String: any Sendable] = ["typedName": name]
        model["fault"] = fault
        let content = Content(
            template: .login, title: language.text("Log in to the desk"), model: model, status: status)
        return html(content, frame(content, language, token: ""))
    }

    /// A page for a rejected request.
    func message(_ error: DeskError, _ language: Language) -> DeskReply {
        let content = Content(
            template: .message, title: error.heading, model: ["heading": error.heading, "detail": error.detail],
            status: error.status)
        return html(content, frame(content, language, token: ""))
    }

    private func html(_ content: Content, _ outer: [String: any Sendable]) -> DeskReply {
        .html(
            library.render(outer, with: Template.layout.rawValue), status: content.status,
            refresh: content.refresh,
            policy: content.hasFrames ? HTTPFields.framingPolicy : nil)
    }

    private func frame(_ content: Content, _ language: Language, token: String) -> [String: any Sendable] {
        var model = content.model
        model["w"] = DeskWords.all(language)
        model["token"] = token
        let name = content.template.rawValue
        let inner = library.render(model, with: name)
        // The page's stylesheet has rules of its own for “answers”.
        return frame(content, content.template == .answers ? "free" : name, inner, language, token: token)
    }

    private func frame(
        _ content: Content, _ name: String, _ inner: String, _ language: Language, token: String
    ) -> [String: any Sendable] {
        var outer: [String: any Sendable] = [
            "w": DeskWords.all(language), "language": language.rawValue, "title": content.title, "page": name,
            "content": inner, "stylesheet": assets.stylesheet, "deskStylesheet": assets.deskStylesheet,
            "icon": assets.icon, "script": assets.script, "token": token,
            "languages": token.isEmpty
                ? []
                : Language.allCases.map {
                    ["code": $0.rawValue, "name": $0.name, "current": $0 == language] as [String: any Sendable]
                },
        ]
        outer["said"] = content.said.map { ["kind": $0.kind, "text": $0.text] }
        return outer
    }
}
