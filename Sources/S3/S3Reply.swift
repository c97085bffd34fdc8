import AsyncHTTPClient
import HTTPCaching
import Model
import NIOCore
import ObjectStores
import StrictXML

/// What the store answered.
struct S3Reply: Sendable {
    var status: Int
    var fields: [(name: String, value: String)]
    var body: HTTPClientResponse.Body
    /// The body of an error, read.
    var errorBytes: [UInt8] = []

    func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    var length: Int64? { field("Content-Length").flatMap { Self.size($0) } }

    func modified(_ now: Timestamp) -> Timestamp? {
        field("Last-Modified").flatMap { HTTPDate.parse($0, now: now) }
    }

    /// The size of the whole object, of a part's reply: `bytes 0-9/100`, `bytes */100`.
    var sizeOfWhole: Int64? {
        field("Content-Range").flatMap { $0.split(separator: "/").last }.flatMap { Self.size($0) }
    }

    /// No size is negative, whatever a server says.
    private static func size(_ text: some StringProtocol) -> Int64? { Int64(text).flatMap { $0 < 0 ? nil : $0 } }

    /// Retry-After in seconds, or as a date.
    func requestedPause(_ now: Timestamp) -> Duration? {
        guard let text = field("Retry-After") else { return nil }
        if let seconds = Int64(text) { return seconds >= 0 ? .seconds(seconds) : nil }
        return HTTPDate.parse(text, now: now).map { .seconds(max(0, $0.seconds(since: now))) }
    }

    /// The error that S3 names, and its sentence.
    var fault: (code: String, message: String) {
        guard let document = try? XMLReader.read(errorBytes), document.name == "Error" else { return ("", "") }
        return (document.first("Code")?.text ?? "", document.first("Message")?.text ?? "")
    }
}

/// A page of ListObjectsV2.
struct S3List: Sendable {
    struct Entry: Sendable {
        var key: String
        var sizeBytes: Int64
        var modified: Timestamp
    }

    var entries: [Entry]
    var isTruncated: Bool

    /// - Throws: `XMLFault`.
    init(_ bytes: [UInt8]) throws(XMLFault) {
        let document = try XMLReader.read(bytes)
        func missing(_ name: String, _ element: XMLElement) -> XMLFault {
            XMLFault(place: element.place, reason: "“\(element.name)” has no usable “\(name)”")
        }
        guard document.name == "ListBucketResult" else {
            throw XMLFault(place: document.place, reason: "it is “\(document.name)”, not a list of objects")
        }
        let isEncoded = document.first("EncodingType")?.text == "url"
        entries = []
        for element in document.elements("Contents") {
            guard let text = element.first("Key")?.text,
                let key = isEncoded ? PercentEncoding.decode(text.replacing("+", with: " ")) : text
            else { throw missing("Key", element) }
            guard let size = element.first("Size").flatMap({ Int64($0.text) }), size >= 0 else {
                throw missing("Size", element)
            }
            guard let modified = element.first("LastModified").flatMap({ Timestamp($0.text) }) else {
                throw missing("LastModified", element)
            }
            entries.append(Entry(key: key, sizeBytes: size, modified: modified))
        }
        isTruncated = document.first("IsTruncated")?.text == "true"
    }
}
