import HTTPTypes

/// A request that was read in full and may be answered.
struct HostRequest: Sendable {
    var method: HTTPRequest.Method
    var route: HostRoute
    var query: RequestQuery
    var fields: HTTPFields
    var body: [UInt8] = []
}
