import HTTPTypes
import Model
import Sync

/// Which requests are about what devices hand over.
enum RelayRoute {
    case test(TestID)
    case change(SubmittedChange)
    /// A file that belongs to a test or a questionnaire.
    case attachment(TestID, of: MediaOwner)
    case upload(TestID)
    case receipt(TestID)
    case receipts([TestID])
    case other

    /// - Parameter path: as the client sees it, with the query.
    init(_ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields) {
        let prefix = "/v1/tests/"
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 6, path.hasPrefix(prefix), parts[4] == "media", method == .put, let test = TestID(parts[3]),
            let id = TestID(parts[5])
        {
            self = .attachment(id, of: .test(test))
            return
        }
        let questionnaires = "/v1/questionnaires/"
        if method == .put, path.hasPrefix(questionnaires),
            let file = ContentPath(String(path.dropFirst(questionnaires.count))),
            let id = fields[.quireChange].flatMap({ TestID($0) })
        {
            self = .attachment(id, of: .questionnaire(file))
            return
        }
        if parts.count == 4, path.hasPrefix("/v1/uploads/"), [.head, .patch, .delete].contains(method),
            let id = TestID(parts[3])
        {
            self = .upload(id)
            return
        }
        if path.hasPrefix(prefix), let id = TestID(path.dropFirst(prefix.count)) {
            switch method {
            case .put: self = .test(id)
            case .get: self = .receipt(id)
            default: self = .other
            }
            return
        }
        for question in ["/v1/tests?ids=", "/v1/receipts?ids="] where method == .get && path.hasPrefix(question) {
            let list = path.dropFirst(question.count).replacing("%2C", with: ",").replacing("%2c", with: ",")
            let ids = list.split(separator: ",").map { TestID($0) }
            // What is not a list of ids is the upstream's to refuse.
            if ids.count <= 200, ids.allSatisfy({ $0 != nil }) {
                self = .receipts(ids.compactMap { $0 })
                return
            }
        }
        self = SubmittedChange(method, path, fields).map { .change($0) } ?? .other
    }
}
