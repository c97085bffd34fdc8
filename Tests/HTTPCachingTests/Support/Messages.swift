import HTTPCaching
import HTTPTypes
import Model
import Testing

/// 2026-11-21T04:51:00Z, a Saturday.
let noon = Timestamp(secondsSinceEpoch: 1_795_236_660)

func fields(_ pairs: (String, String)...) throws -> HTTPFields {
    var result = HTTPFields()
    for (name, value) in pairs { result.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
    return result
}

/// A response that arrived at `noon`.
func response(
    status: Int = 200, _ pairs: (String, String)..., varying: HTTPFields = HTTPFields()
) throws -> StoredResponse {
    var result = HTTPFields()
    for (name, value) in pairs { result.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
    return StoredResponse(
        status: status, fields: result, requestTime: noon, responseTime: noon, varyingFields: varying)
}

extension Timestamp {
    func plus(_ seconds: Int) -> Timestamp { adding(seconds: Double(seconds)) }
}
