import HTTPTypes
import WireFormat

extension APIPath {
    /// The methods that the host answers here, in the order in which Allow lists them.
    var methods: [HTTPRequest.Method] {
        switch self {
        case .test, .attachment, .mediaContent: [.get, .head, .put]
        case .upload: [.head, .patch, .delete]
        case .questionnaire: [.get, .head, .put, .delete]
        case .favorite: [.put, .delete]
        case .progress: [.put]
        default: [.get, .head]
        }
    }
}
