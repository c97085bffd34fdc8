import Authoring
import HTTPServing
import HTTPTypes
import Model
import Quire
import QuireWording
import Sync
import Templates

/// Makes pages of models: the templates, and the frame around all of them.
struct Screens: Sendable {
    let assets = PageAssets()
    /// The screens on which questionnaires are written.
    let authoring = AuthoringScreens()
    private let library: TemplateLibrary
    /// Whether the documents' site is beside the program: each page leads to it.
    private let hasHelp: Bool

    /// A page's own part.
    struct Content: Sendable {
        var template: Template
        var title: String
        var model: [String: any Sendable]
        var status: HTTPResponse.Status = .ok
        var cookies: [String] = []
        /// The note about the last action.
        var said: PageNote?
        /// A screen on which questionnaires are written, in place of the template.
        var authored: AuthoringPage?
    }

    enum Template: String, CaseIterable {
        case layout, library, questionnaire, test, question, passage, media, files, attach, answers, review, report,
            outbox, results, own
        case settings, discard, instance, update, message, door, person, pin, otherperson, unchanged

        var bytes: [UInt8] {
            switch self {
            case .layout: PackageResources.layout_mustache
            case .library: PackageResources.library_mustache
            case .questionnaire: PackageResources.questionnaire_mustache
            case .test: PackageResources.test_mustache
            case .question: PackageResources.question_mustache
            case .passage: PackageResources.passage_mustache
            case .media: PackageResources.media_mustache
            case .files: PackageResources.files_mustache
            case .attach: PackageResources.attach_mustache
            case .answers: PackageResources.answers_mustache
            case .review: PackageResources.review_mustache
            case .report: PackageResources.report_mustache
            case .outbox: PackageResources.outbox_mustache
            case .results: PackageResources.results_mustache
            case .own: PackageResources.own_mustache
            case .settings: PackageResources.settings_mustache
            case .discard: PackageResources.discard_mustache
            case .instance: PackageResources.instance_mustache
            case .update: PackageResources.update_mustache
            case .message: PackageResources.message_mustache
            case .door: PackageResources.door_mustache
            case .person: PackageResources.person_mustache
            case .pin: PackageResources.pin_mustache
            case .otherperson: PackageResources.otherperson_mustache
            case .unchanged: PackageResources.unchanged_mustache
            }
        }
    }

    /// - Throws: `TemplateError` for a template that cannot be read.
    init(hasHelp: Bool = false) throws {
        self.hasHelp = hasHelp
        library = try TemplateLibrary(
            Dictionary(
                uniqueKeysWithValues: Template.allCases.map { ($0.rawValue, String(decoding: $0.bytes, as: UTF8.self)) }
            ))
    }

    /// The frame around a page.
    struct Frame {
        var request: PageRequest
        var live: LiveState
        var now: Timestamp
    }

    func page(_ content: Content, _ frame: Frame) -> PageReply {
        let request = frame.request
        var model = content.model
        model["w"] = Words.all(request.language)
        model["token"] = request.session.formToken
        model["target"] = request.target
        model["languages"] = languages(request.language)
        let inner = content.authored?.html ?? library.render(model, with: content.template.rawValue)
        var outer = common(content, inner, request.language)
        if content.authored != nil {
            outer["authoring"] = ["stylesheet": assets.authoringStylesheet, "script": assets.authoringScript]
        }
        outer["token"] = request.session.formToken
        outer["target"] = request.method == .get ? request.target : "/"
        outer["languages"] = languages(request.language)
        outer["nav"] = navigation(frame)
        let isTest = [.test, .unchanged].contains(content.template)
        outer["who"] = PersonScreen.bar(frame.live.people, request, isTest: isTest)
        // The buttons around a test save its form without a script. Enter is that of the first button of the form.
        let first: any Sendable = content.model["default"] ?? "next"
        if isTest { outer["testForm"] = ["default": first] }
        outer["version"] = frame.live.version
        outer["said"] = content.said.map { ["kind": $0.kind.rawValue, "text": $0.text] }
        outer["footer"] = PageWords(language: request.language).footer(frame.live.way)
        return .html(
            library.render(outer, with: Template.layout.rawValue), status: content.status,
            cookies: content.cookies, policy: content.authored?.hasFrames == true ? HTTPFields.framingPolicy : nil)
    }

    /// A page for a browser without access, and for a rejected request.
    func message(_ problem: PageProblem, _ language: Language) -> PageReply {
        bare(
            Content(
                template: .message, title: Words.text(problem.title, language),
                model: ["heading": Words.text(problem.title, language), "detail": problem.detail],
                status: problem.status), language)
    }

    /// The page for a browser without access.
    enum Door {
        /// The field for a code.
        case code(isWrong: Bool)
        /// The button that uses the code of the printed address up.
        case enter(code: String)
        /// The step that makes a visit from another site one of this page's own.
        case step(to: String)
    }

    func door(
        _ door: Door, _ language: Language, status: HTTPResponse.Status, cookies: [String] = []
    ) -> PageReply {
        var (title, model): (Words.Key, [String: any Sendable]) = (.doorTitle, [:])
        switch door {
        case .code(let isWrong): model = ["asks": true, "wrong": isWrong]
        case .enter(let code): (title, model) = (.enterTitle, ["code": code])
        case .step(let target): (title, model) = (.enterTitle, ["target": target])
        }
        model["heading"] = Words.text(title, language)
        return bare(
            Content(template: .door, title: Words.text(title, language), model: model, status: status), language,
            cookies: cookies)
    }

    private func bare(_ content: Content, _ language: Language, cookies: [String] = []) -> PageReply {
        var model = content.model
        model["w"] = Words.all(language)
        let inner = library.render(model, with: content.template.rawValue)
        var outer = common(content, inner, language)
        outer["footer"] = PageWords(language: language).footer(.byItself)
        let text = library.render(outer, with: Template.layout.rawValue)
        return .html(text, status: content.status, cookies: cookies)
    }

    private func common(_ content: Content, _ inner: String, _ language: Language) -> [String: any Sendable] {
        [
            "w": Words.all(language), "language": language.rawValue, "title": content.title,
            "page": content.authored?.name ?? content.template.rawValue, "content": inner,
            "stylesheet": assets.stylesheet,
            "script": assets.script, "icon": assets.iconPath,
        ].merging(hasHelp ? ["help": language.text("Help")] : [:]) { $1 }
    }

    private func languages(_ current: Language) -> [[String: any Sendable]] {
        Language.allCases.map { ["code": $0.rawValue, "name": $0.name, "current": $0 == current] }
    }

    private func navigation(_ frame: Frame) -> [String: any Sendable] {
        let (live, language) = (frame.live, frame.request.language)
        let words = PageWords(language: language)
        let path = frame.request.path
        func item(_ key: Words.Key, _ href: String, _ isCurrent: Bool, _ badge: Int = 0) -> [String: any Sendable] {
            var item: [String: any Sendable] = ["name": words[key], "href": href, "current": isCurrent]
            if badge > 0 { item["badge"] = "\(badge)" }
            return item
        }
        var model: [String: any Sendable] = [
            "items": [
                item(.library, "/", path.isEmpty || path.first == "q" || path.first == "write"),
                item(.outbox, "/outbox", path.first == "outbox", live.shownInOutbox),
                item(.results, "/results", path.first == "results"),
                item(.settings, "/settings", path.first == "settings"),
            ],
            "online": live.isOnline, "connection": connection(live, words),
            "lastSync": words.lastSync(live.lastSync ?? live.lastPull, now: frame.now),
        ]
        if live.way != .noServer {
            if let trouble = live.trouble {
                model["reason"] = trouble.words(language)
            } else if !live.isOnline, let reason = live.reason {
                model["reason"] = reason
            }
        }
        return model
    }

    func connection(_ live: LiveState, _ words: PageWords) -> String {
        if live.isSending { return words[.sending] }
        if live.isPulling { return words.text("Updating…") }
        if live.way == .noServer { return words.text("No server") }
        if live.isOnline, live.trouble == .tokenRefused {
            return words.text("The server refuses the token")
        }
        return live.isOnline ? words.text("Online") : words.text("Offline")
    }
}
