import Disk
import Model
import Sync
import SystemPackage

/// The remote of a URL in a store's settings.
public enum RemoteAddress {
    /// - Parameters:
    ///   - base: a URL of one of the kinds of remotes: of a server (`http`, `https`), of a folder (`file`), or of a
    ///     bucket (`s3+https`).
    ///   - token: shown to a server, as a bearer token.
    /// - Throws: `RemoteAddressError`.
    public static func open(
        _ base: String, token: String?, clock: any StoreClock, trust: CertificateTrust = CertificateTrust()
    ) throws -> any Remote {
        try kind(base).open(base, .init(token: token, clock: clock, trust: trust))
    }

    /// The same through the proxy that a rule names, where the remote is a server.
    ///
    /// - Throws: `RemoteAddressError`, `ProxyAddressError`.
    package static func open(
        _ base: String, token: String?, clock: any StoreClock, trust: CertificateTrust, proxies: ProxyRule
    ) throws -> any Remote {
        try kind(base).open(base, .init(token: token, clock: clock, trust: trust, proxies: proxies))
    }

    /// Why a URL is not a remote's; `nil` for a valid one.
    package static func fault(in base: String) -> RemoteAddressError? {
        do throws(RemoteAddressError) {
            try kind(base).validate(base)
            return nil
        } catch {
            return error
        }
    }

    /// Makes a place ready to be a store's remote, where its kind needs that.
    ///
    /// - Parameter store: the store's folder.
    /// - Throws: `RemoteAddressError`, `RemotePreparationError`, `FileError`.
    package static func prepare(_ base: String, store: FilePath) throws {
        try kind(base).prepare(base, store)
    }

    /// Lets the place of a remote prove that it keeps its promises, where its kind can be asked that.
    ///
    /// - Throws: `FileError`, `DocumentFault`, `RemoteAddressError`.
    package static func prove(_ base: String) throws { try kind(base).prove(base) }

    /// Whether the way to it leads over the network of the machine: not to a folder, nor to the machine itself.
    package static func usesDefaultRoute(_ base: String) -> Bool {
        RemoteKind.of(base)?.usesDefaultRoute(base) == true
    }

    package static func isEncrypted(_ base: String) -> Bool {
        guard let scheme = RemoteKind.scheme(base) else { return false }
        return RemoteKind.of(base)?.encryptedSchemes.contains(scheme) == true
    }

    /// The medium that holds submissions on their way to it.
    package static func medium(_ base: String) -> DeliveryMedium { RemoteKind.of(base)?.medium ?? .hub }

    /// Whether a remote of this kind may have class lists, and codes of people.
    package static func hasPeople(_ base: String) -> Bool { RemoteKind.of(base)?.hasPeople == true }

    private static func kind(_ base: String) throws(RemoteAddressError) -> RemoteKind {
        guard let kind = RemoteKind.of(base) else { throw RemoteAddressError(text: base) }
        return kind
    }
}
