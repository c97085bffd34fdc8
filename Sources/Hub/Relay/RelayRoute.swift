import HTTPTypes
import Model
import Sync
import WireFormat

/// Recognises requests about devices' submissions.
enum RelayRoute {
    case test(TestID)
    case change(SubmittedChange)
    /// A file that belongs to a test or a questionnaire.
    case attachment(TestID, of: MediaOwner)
    case upload(TestID)
    case receipt(TestID)
    case receipts([TestID])
    /// Which tests are open at a device.
    case progress(String)
    case other

    /// - Parameter path: as the client sees it, with the query.
    init(_ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields) {
        if method == .get, let ids = APIPath.receiptIDs(inQueryOf: path) {
            self = .receipts(ids)
            return
        }
        if let route = path.contains("?") ? nil : try? APIPath(path), let own = Self(method, route, fields) {
            self = own
            return
        }
        self = SubmittedChange(method, path, fields).map { .change($0) } ?? .other
    }

    /// - Returns: `nil` for requests about no test, no file and no report of open tests.
    private init?(_ method: HTTPRequest.Method, _ path: APIPath, _ fields: HTTPFields) {
        switch (path, method) {
        case (.attachment(let test, let id), .put):
            guard let test = TestID(test), let id = TestID(id) else { return nil }
            self = .attachment(id, of: .test(test))
        case (.mediaContent(let file), .put):
            guard let id = fields[.quireChange].flatMap({ TestID($0) }) else { return nil }
            self = .attachment(id, of: .questionnaire(file))
        case (.upload(let text), .head), (.upload(let text), .patch), (.upload(let text), .delete):
            guard let id = TestID(text) else { return nil }
            self = .upload(id)
        case (.test(let text), .put), (.test(let text), .get):
            guard let id = TestID(text) else { return nil }
            self = method == .put ? .test(id) : .receipt(id)
        case (.progress(let sender), .put): self = .progress(sender)
        default: return nil
        }
    }
}
