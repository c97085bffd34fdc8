import Foundation
import Model
import SystemPackage
import Testing

@testable import S3

@Suite("Addresses of buckets, and credentials")
struct S3SettingsTests {
    @Test(
        "an address names endpoint, bucket and prefix",
        arguments: [
            ("s3+https://s3.example.org/quire-tests", "s3.example.org", "/quire-tests/a/b%20c", ""),
            (
                "s3+https://S3.example.org:9000/quire-tests/2026/spring/", "s3.example.org:9000",
                "/quire-tests/2026/spring/a/b%20c", "2026/spring/"
            ),
            ("s3+http://127.0.0.1:5000/bucket", "127.0.0.1:5000", "/bucket/a/b%20c", ""),
            (
                "s3+https://s3.eu-north-1.amazonaws.com/bucket/x", "bucket.s3.eu-north-1.amazonaws.com", "/x/a/b%20c",
                "x/"
            ),
            ("s3+https://s3.eu-north-1.amazonaws.com/a.b.c", "s3.eu-north-1.amazonaws.com", "/a.b.c/a/b%20c", ""),
        ])
    func addresses(_ text: String, _ authority: String, _ path: String, _ prefix: String) throws {
        let bucket = try S3Bucket(text)
        #expect(bucket.requestAuthority == authority)
        #expect(try bucket.path(name("a/b c")) == path)
        #expect(bucket.prefix == prefix)
        #expect(try S3Bucket(bucket.url) == bucket)
    }

    @Test(
        "what is no address of a bucket is refused",
        arguments: [
            "s3+https://s3.example.org", "s3+https://s3.example.org/", "s3+https:///bucket", "s3+https://host/B",
            "s3+http://s3.example.org/bucket", "https://s3.example.org/bucket", "s3+https://host/bucket/../x",
            "s3+https://user:secret@host/bucket", "s3+https://host/bucket?x",
        ])
    func refused(_ text: String) {
        let error = #expect(throws: S3AddressError.self) { try S3Bucket(text) }
        #expect(error?.description.contains("secret") == false)
    }

    @Test("a short address is at the endpoint of the environment, or at Amazon's")
    func short() throws {
        let own = try S3Bucket(short: "s3://bucket/x", endpoint: "http://localhost:5000/", region: "r")
        #expect(own.url == "s3+http://localhost:5000/bucket/x")
        let amazon = try S3Bucket(short: "s3://bucket", endpoint: nil, region: "eu-north-1")
        #expect(amazon.requestAuthority == "bucket.s3.eu-north-1.amazonaws.com")
        #expect(throws: S3AddressError.self) { try S3Bucket(short: "s3://bucket", endpoint: "ftp://x", region: "r") }
    }

    @Test("the environment comes first")
    func environment() throws {
        let settings = try S3Settings([
            "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "token",
            "AWS_DEFAULT_REGION": "eu-west-3", "AWS_ENDPOINT_URL": "https://s3.example.org",
            "QUIRE_S3_STYLE": "virtual",
        ])
        #expect(settings.credentials == S3Credentials(accessKey: "key", secretKey: "secret", sessionToken: "token"))
        #expect(settings.region == "eu-west-3")
        #expect(settings.style == .virtual)
        #expect(throws: S3SettingsError.self) { try S3Settings(["HOME": "/nowhere"]) }
        #expect(throws: S3SettingsError.self) {
            try S3Settings(["AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "a\nb"])
        }
    }

    @Test("the shared file is read by its profile; an own file must be closed to others")
    func files() async throws {
        try await withTemporaryFolder { root in
            let file = root.appending("credentials").string
            let text = """
                # both
                [default]
                aws_access_key_id = one
                aws_secret_access_key=first=

                [ school ]
                aws_access_key_id = two
                aws_secret_access_key = second
                aws_session_token = third
                region = eu-central-1
                """
            try Data(text.utf8).write(to: URL(filePath: file))
            let first = try S3Settings(["AWS_SHARED_CREDENTIALS_FILE": file])
            #expect(first.credentials == S3Credentials(accessKey: "one", secretKey: "first="))
            #expect(first.region == "us-east-1")
            let second = try S3Settings(["AWS_SHARED_CREDENTIALS_FILE": file, "AWS_PROFILE": "school"])
            #expect(second.credentials == S3Credentials(accessKey: "two", secretKey: "second", sessionToken: "third"))
            #expect(second.region == "eu-central-1")
            #expect(throws: S3SettingsError.self) {
                try S3Settings(["AWS_SHARED_CREDENTIALS_FILE": file, "AWS_PROFILE": "none"])
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
            let open = #expect(throws: S3SettingsError.self) { try S3Settings(["QUIRE_S3_CREDENTIALS": file]) }
            #expect(open?.description.contains("chmod 600") == true)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            #expect(try S3Settings(["QUIRE_S3_CREDENTIALS": file]).credentials.accessKey == "one")
        }
    }
}
