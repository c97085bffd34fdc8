import Model
import Testing

@testable import S3

/// The examples of the published description of Signature Version 4 for S3, with its credentials and its time.
@Suite("Signatures of requests")
struct SignatureTests {
    private static let credentials = S3Credentials(
        accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    private static let time = Timestamp(secondsSinceEpoch: 1_369_353_600)

    private static func fields(
        _ request: S3Signature.Request, _ credentials: S3Credentials = credentials
    ) -> [String: String] {
        let signature = S3Signature(credentials: credentials, region: "us-east-1")
        return Dictionary(
            uniqueKeysWithValues: signature.fields(for: request, at: time).map { ($0.name, $0.value) })
    }

    private static let host = (name: "Host", value: "examplebucket.s3.amazonaws.com")

    private static let examples: [(S3Signature.Request, String, String)] = [
        (
            S3Signature.Request(
                method: "GET", path: "/test.txt", fields: [host, (name: "Range", value: "bytes=0-9")],
                payloadHash: S3Signature.emptyHash),
            "host;range;x-amz-content-sha256;x-amz-date",
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        ),
        (
            S3Signature.Request(
                method: "PUT", path: "/" + S3Signature.encode("test$file.text"),
                fields: [
                    host, (name: "Date", value: "Fri, 24 May 2013 00:00:00 GMT"),
                    (name: "x-amz-storage-class", value: "REDUCED_REDUNDANCY"),
                ], payloadHash: Digest(sha256Of: "Welcome to Amazon S3.".utf8).hex),
            "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        (
            S3Signature.Request(
                method: "GET", path: "/", query: [(name: "lifecycle", value: "")], fields: [host],
                payloadHash: S3Signature.emptyHash),
            "host;x-amz-content-sha256;x-amz-date",
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        ),
        (
            S3Signature.Request(
                method: "GET", path: "/",
                query: [(name: "prefix", value: "J"), (name: "max-keys", value: "2")], fields: [host],
                payloadHash: S3Signature.emptyHash),
            "host;x-amz-content-sha256;x-amz-date",
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
    ]

    @Test("a request has the published signature", arguments: 0..<4)
    func published(_ number: Int) {
        let (request, names, proof) = Self.examples[number]
        let fields = Self.fields(request)
        #expect(fields["x-amz-date"] == "20130524T000000Z")
        #expect(fields["x-amz-content-sha256"] == request.payloadHash)
        #expect(
            fields["Authorization"]
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                + "SignedHeaders=\(names),Signature=\(proof)")
    }

    @Test("a session's token is sent and signed")
    func token() {
        let temporary = S3Credentials(accessKey: "a", secretKey: "b", sessionToken: "the token")
        let fields = Self.fields(Self.examples[2].0, temporary)
        #expect(fields["x-amz-security-token"] == "the token")
        #expect(fields["Authorization"]?.contains("x-amz-date;x-amz-security-token,") == true)
    }

    @Test("names and queries are encoded byte by byte")
    func encoding() {
        #expect(S3Signature.encode("a b/é~_-.$+%", keepingSlashes: true) == "a%20b/%C3%A9~_-.%24%2B%25")
        #expect(S3Signature.query([("prefix", "a/b"), ("list-type", "2"), ("a", "")]) == "a=&list-type=2&prefix=a%2Fb")
    }

    @Test("credentials do not show their secret")
    func secret() { #expect(!"\(Self.credentials)\(String(reflecting: Self.credentials))".contains("wJalr")) }
}
