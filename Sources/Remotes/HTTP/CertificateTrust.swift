import Model
import NIOSSL
import Sync

/// The certificate authorities that are trusted for an https remote. The certificate and the name in it are always
/// checked.
public struct CertificateTrust: Sendable {
    private var roots = NIOSSLTrustRoots.default
    private var additional: [NIOSSLCertificate] = []

    /// The authorities that this machine knows.
    public init() {}

    /// - Parameters:
    ///   - authorities: a file of certificates (PEM) that are trusted beside those of the machine: a school's own.
    ///   - bundle: a file that takes the place of the machine's own, as `$SSL_CERT_FILE` does for other programs.
    /// - Throws: `CertificateFileError`.
    public init(authorities: String?, bundle: String?) throws(CertificateFileError) {
        if let bundle { roots = .certificates(try Self.certificates(bundle)) }
        if let authorities { additional = try Self.certificates(authorities) }
    }

    private static func certificates(_ file: String) throws(CertificateFileError) -> [NIOSSLCertificate] {
        do {
            let certificates = try NIOSSLCertificate.fromPEMFile(file)
            if !certificates.isEmpty { return certificates }
        } catch {
            throw CertificateFileError(file: file)
        }
        throw CertificateFileError(file: file)
    }

    var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = roots
        configuration.additionalTrustRoots = [.certificates(additional)]
        return configuration
    }

    /// A failed handshake in words for people; `nil` for other errors. Nothing was sent then: neither token nor answer.
    static func failure(_ error: any Error, _ place: String) -> RemoteFailure? {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            return RemoteFailure(
                .unreachable,
                "the certificate of \(place) was made out for another name, so nothing was sent: check the remote's "
                    + "URL, or ask who runs the server")
        }
        guard let error = error as? NIOSSLError, case .handshakeFailed(let reason) = error else { return nil }
        if String(describing: reason).contains("CERTIFICATE_VERIFY_FAILED") {
            return RemoteFailure(
                .unreachable,
                "the certificate of \(place) is not signed by an authority that this machine trusts, or has expired, so nothing "
                    + "was sent: if the server is yours, name the file of its authority as “caFile” in store.json")
        }
        return RemoteFailure(.unreachable, "no safe connection to \(place): the server does not speak TLS as it should")
    }
}

/// A file of certificates that cannot be used.
public struct CertificateFileError: DescribedError, Equatable {
    public let file: String

    public var description: String {
        "\(file) holds no certificates (PEM): correct “caFile” in store.json, or $SSL_CERT_FILE"
    }
}
