import Crypto
import Model

/// Signs requests: AWS Signature Version 4, in the Authorization field, with the payload's hash always signed.
struct S3Signature: Sendable {
    let credentials: S3Credentials
    let region: String
    var service = "s3"

    static let emptyHash = Digest(sha256Of: []).hex

    /// What is signed of a request.
    struct Request {
        var method: String
        /// Percent-encoded, as it is sent; starts with a slash.
        var path: String
        var query: [(name: String, value: String)] = []
        var fields: [(name: String, value: String)] = []
        /// SHA-256 of the body, in hexadecimal digits.
        var payloadHash: String
    }

    /// The query as it is sent and signed: encoded and ordered.
    static func query(_ items: [(name: String, value: String)]) -> String {
        let encoded: [(name: String, value: String)] = items.map { item in
            (name: encode(item.name), value: encode(item.value))
        }
        let ordered = encoded.sorted { one, other in
            one.name == other.name ? one.value < other.value : one.name < other.name
        }
        return ordered.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    /// Encodes every byte but the unreserved ones of RFC 3986.
    static func encode(_ text: String, keepingSlashes: Bool = false) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "/") where keepingSlashes: encoded += "/"
            default: encoded += "%" + Hexadecimal.encode([byte]).uppercased()
            }
        }
        return encoded
    }

    /// The fields that make a request a signed one, beside those that it has.
    func fields(for request: Request, at time: Timestamp) -> [(name: String, value: String)] {
        let (date, stamp) = Self.stamp(time)
        var added: [(name: String, value: String)] = [
            (name: "x-amz-content-sha256", value: request.payloadHash), (name: "x-amz-date", value: stamp),
        ]
        if let token = credentials.sessionToken { added.append((name: "x-amz-security-token", value: token)) }
        let (canonical, names) = Self.canonical(request, request.fields + added)
        let scope = "\(date)/\(region)/\(service)/aws4_request"
        let text = "AWS4-HMAC-SHA256\n\(stamp)\n\(scope)\n\(Digest(sha256Of: canonical.utf8).hex)"
        let proof = Hexadecimal.encode(Self.mac(key(date), text))
        let credential = "\(credentials.accessKey)/\(scope)"
        let value = "AWS4-HMAC-SHA256 Credential=\(credential),SignedHeaders=\(names),Signature=\(proof)"
        added.append((name: "Authorization", value: value))
        return added
    }

    /// The canonical request, and the names of the signed fields.
    static func canonical(
        _ request: Request, _ fields: [(name: String, value: String)]
    ) -> (text: String, names: String) {
        let lowered: [(name: String, value: String)] = fields.map { field in
            (name: field.name.lowercased(), value: trimmed(field.value))
        }
        let ordered = lowered.sorted { $0.name < $1.name }
        let names = ordered.map(\.name).joined(separator: ";")
        let lines = ordered.map { "\($0.name):\($0.value)\n" }.joined()
        let text = [request.method, request.path, query(request.query), lines, names, request.payloadHash]
        return (text.joined(separator: "\n"), names)
    }

    /// Without spaces around it, and with one in place of several.
    private static func trimmed(_ value: String) -> String {
        value.split(separator: " ").joined(separator: " ")
    }

    private func key(_ date: String) -> [UInt8] {
        var key = Array("AWS4\(credentials.secretKey)".utf8)
        for part in [date, region, service, "aws4_request"] { key = Self.mac(key, part) }
        return key
    }

    private static func mac(_ key: [UInt8], _ text: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: key)))
    }

    /// `20130524` and `20130524T000000Z`.
    static func stamp(_ time: Timestamp) -> (date: String, stamp: String) {
        let seconds = Timestamp(millisecondsSinceEpoch: time.millisecondsSinceEpoch / 1000 * 1000).description
        let digits = seconds.filter { $0.isNumber || $0 == "T" }.prefix(15)
        return (String(digits.prefix(8)), digits + "Z")
    }
}
