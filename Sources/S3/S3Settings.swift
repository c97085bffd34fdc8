import Disk
import Model
import SystemPackage

/// What is needed to ask a bucket beside its address, from where the AWS tools have it. Secrets come from the environment or
/// from files, never from a command line.
package struct S3Settings: Sendable {
    package var endpoint: String?
    package var region: String
    package var style: S3Bucket.Style?
    package var credentials: S3Credentials

    /// - Parameter environment: `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_DEFAULT_REGION`, `AWS_ACCESS_KEY_ID`,
    ///   `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`; or a file like `~/.aws/credentials`: `QUIRE_S3_CREDENTIALS` (mode 0600), or
    ///   `AWS_SHARED_CREDENTIALS_FILE`, with `AWS_PROFILE`. `QUIRE_S3_STYLE` is `path` or `virtual`.
    /// - Throws: `S3SettingsError`, `FileError`.
    package init(_ environment: [String: String]) throws {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        endpoint = value("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
        if let text = value("QUIRE_S3_STYLE"), S3Bucket.Style(rawValue: text) == nil {
            throw S3SettingsError("QUIRE_S3_STYLE is “\(text)”: it must be path or virtual")
        }
        style = Self.style(environment)
        let named = value("AWS_REGION", "AWS_DEFAULT_REGION")
        if let key = value("AWS_ACCESS_KEY_ID"), let secret = value("AWS_SECRET_ACCESS_KEY") {
            credentials = S3Credentials(
                accessKey: key, secretKey: secret, sessionToken: value("AWS_SESSION_TOKEN"))
            region = named ?? Self.standardRegion
            try check()
            return
        }
        let profile = value("AWS_PROFILE") ?? "default"
        let own = value("QUIRE_S3_CREDENTIALS")
        let shared = value("AWS_SHARED_CREDENTIALS_FILE") ?? value("HOME").map { $0 + "/.aws/credentials" }
        guard let file = own ?? shared, let text = try Self.read(FilePath(file), isOwn: own != nil) else {
            throw S3SettingsError(
                "there are no credentials for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write them "
                    + "into ~/.aws/credentials")
        }
        let entries = Self.section(profile, of: text)
        guard let key = entries["aws_access_key_id"], let secret = entries["aws_secret_access_key"] else {
            throw S3SettingsError(
                "\(file) has no aws_access_key_id and aws_secret_access_key in its section [\(profile)]: add them")
        }
        credentials = S3Credentials(
            accessKey: key, secretKey: secret, sessionToken: entries["aws_session_token"])
        region = named ?? entries["region"] ?? Self.standardRegion
        try check()
    }

    /// How buckets are named in requests, where the environment says so.
    package static func style(_ environment: [String: String]) -> S3Bucket.Style? {
        environment["QUIRE_S3_STYLE"].flatMap { S3Bucket.Style(rawValue: $0) }
    }

    private static let standardRegion = "us-east-1"

    /// They become parts of fields and of signed lines.
    private func check() throws(S3SettingsError) {
        let parts = [credentials.accessKey, credentials.secretKey, credentials.sessionToken ?? "", region]
        for part in parts where !part.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            throw S3SettingsError(
                "a key, token or region for the bucket has a character that is none of theirs: copy it again")
        }
    }

    private static func read(_ path: FilePath, isOwn: Bool) throws -> String? {
        do {
            guard let (bytes, status) = try NamedFile(path)?.read(maximumBytes: 1 << 20) else {
                if isOwn { throw S3SettingsError("“\(path)” names no file: name one with the keys of the bucket") }
                return nil
            }
            let others: FilePermissions = [.groupReadWriteExecute, .otherReadWriteExecute]
            if isOwn, !status.permissions.isDisjoint(with: others) {
                throw S3SettingsError("\(path) can be read by others: run “chmod 600 \(path)”")
            }
            return String(decoding: bytes, as: UTF8.self)
        } catch let error as FileError where error.isMissing && !isOwn {
            return nil
        }
    }

    /// The entries of a section of an INI file.
    static func section(_ wanted: String, of text: String) -> [String: String] {
        var entries: [String: String] = [:]
        var current = ""
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmed
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                current = line.dropFirst().dropLast().trimmed
                continue
            }
            guard current == wanted, let sign = line.firstIndex(of: "=") else { continue }
            entries[line[..<sign].trimmed.lowercased()] = line[line.index(after: sign)...].trimmed
        }
        return entries
    }
}

/// Why a bucket cannot be asked, and what to do.
package struct S3SettingsError: DescribedError, Hashable {
    package let description: String

    init(_ description: String) { self.description = description }
}
