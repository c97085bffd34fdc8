import Foundation
import NIOSSL

/// Certificates made for one test, by the machine's openssl.
struct Certificates {
    struct Identity: Sendable {
        var certificate: String
        var key: String

        var serverConfiguration: TLSConfiguration {
            get throws {
                TLSConfiguration.makeServerConfiguration(
                    certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
                    privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
            }
        }
    }

    /// Whether the machine can make them.
    static let canBeMade = Command.isInstalled("openssl")

    let folder: String

    /// Signed by itself alone.
    func selfSigned(_ name: String) throws -> Identity { try make("self-\(name)", name, []) }

    /// An authority of one's own; `signed(_:)` uses it.
    func authority() throws -> String { try make("authority", "Quire tests", []).certificate }

    func signed(_ name: String) throws -> Identity {
        try make("signed-\(name)", name, ["-CA", "\(folder)/authority.pem", "-CAkey", "\(folder)/authority.key"])
    }

    private func make(_ stem: String, _ name: String, _ more: [String]) throws -> Identity {
        let identity = Identity(certificate: "\(folder)/\(stem).pem", key: "\(folder)/\(stem).key")
        let isAuthority = stem == "authority"
        let extensions =
            isAuthority
            ? ["-addext", "keyUsage=critical,keyCertSign"]
            : ["-addext", "subjectAltName=DNS:\(name)", "-addext", "basicConstraints=critical,CA:FALSE"]
        let child = try ChildProcess(
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2", "-subj", "/CN=\(name)", "-keyout", identity.key, "-out", identity.certificate,
            ] + extensions + more, environment: Command.environment(home: folder), folder: folder)
        let outcome = try child.end()
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        return identity
    }
}
