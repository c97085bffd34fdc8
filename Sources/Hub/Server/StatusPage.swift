import Disk
import HTTPMessages
import HTTPTypes
import Model
import Sync

/// `/_hub/status`, for people and for programs, and `/_hub/metrics`, for Prometheus.
struct StatusPage: Sendable {
    private let reporter: HubReporter
    private let appAddresses: @Sendable () -> [String]

    init(_ reporter: HubReporter, appAddresses: @escaping @Sendable () -> [String]) {
        self.reporter = reporter
        self.appAddresses = appAddresses
    }

    func reply(to head: RequestHead, path: String, activeRequests: Int) async throws -> HTTPReply {
        let name = path.prefix { $0 != "?" }
        guard name == "/_hub/status" || name == "/_hub/metrics" else {
            throw HubProblem(404, "There is nothing at this address; the hub's own pages are status, metrics and app/.")
        }
        guard head.method == .get || head.method == .head else {
            throw HubProblem.notAllowed("The hub's own pages can only be read.", allowed: "GET, HEAD")
        }
        let report = try await offload { try reporter.report(activeRequests: activeRequests) }
        if name == "/_hub/metrics" {
            return page(StatusText.metrics(report), type: "text/plain; version=0.0.4; charset=utf-8")
        }
        if Self.wantsPage(head.fields[.accept]) {
            let language = Self.language(head.fields[.acceptLanguage])
            return page(
                StatusText.page(report, phonesOpen: appAddresses(), language), type: "text/html; charset=utf-8",
                language)
        }
        return page(String(decoding: try DocumentCoding.encode(report), as: UTF8.self), type: "application/json")
    }

    /// Leads a browser that opens the hub's bare address to the app; programs ask the server behind.
    static func entrance(_ head: RequestHead) -> HTTPReply? {
        guard head.method == .get || head.method == .head, wantsPage(head.fields[.accept]) else { return nil }
        let fields: HTTPFields = [
            .location: AppPage.path, .cacheControl: "no-store", .vary: "Accept",
            .cacheStatus: "\(HubProblem.cacheName); detail=\"hub\"",
        ]
        return HTTPReply(head: HTTPResponse(status: .seeOther, headerFields: fields), body: .empty)
    }

    private func page(_ text: String, type: String, _ language: Language? = nil) -> HTTPReply {
        var fields = HTTPFields()
        fields[.contentType] = type
        fields[.cacheControl] = "no-store"
        fields[.vary] = "Accept, Accept-Language"
        fields[.xContentTypeOptions] = "nosniff"
        fields[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'"
        fields[.cacheStatus] = "\(HubProblem.cacheName); detail=\"hub\""
        if let language { fields[.contentLanguage] = language.rawValue }
        return HTTPReply(
            head: HTTPResponse(status: .ok, headerFields: fields), body: HTTPBody(bytes: Array(text.utf8)))
    }

    /// Whether HTML is named before JSON, as a browser does; a program that says nothing gets JSON.
    static func wantsPage(_ accept: String?) -> Bool {
        guard let accept = accept?.lowercased() else { return false }
        let html = weight("text/html", in: accept)
        return html > 0 && html >= weight("application/json", in: accept)
    }

    static func language(_ accept: String?) -> Language {
        guard let accept = accept?.lowercased() else { return .english }
        func weight(_ language: Language) -> Double { Self.weight(language.rawValue, in: accept, isLanguage: true) }
        return Language.allCases.max { weight($0) < weight($1) } ?? .english
    }

    /// The weight of a member of Accept or Accept-Language (RFC 9110 section 12.4.2); 0 when it is not named.
    private static func weight(_ wanted: String, in list: String, isLanguage: Bool = false) -> Double {
        var best = 0.0
        for member in list.split(separator: ",") {
            let parts = member.split(separator: ";").map(\.trimmingSpaces)
            guard let name = parts.first, name == wanted || isLanguage && name.hasPrefix(wanted + "-") else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            best = max(best, weight)
        }
        return best
    }
}
