import Model

/// Who asks a bucket, and the secret that proves it. Its description has no secret.
package struct S3Credentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    package let accessKey: String
    package let secretKey: String
    package let sessionToken: String?

    package init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }

    package var description: String { "the key \(accessKey)" }
    package var debugDescription: String { description }
}
