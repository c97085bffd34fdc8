import Disk
import Model
import Sync
import SystemPackage

/// A kind of remote: all that differs between a server, a folder and the next kind. A new kind is an entry of `all`, with its
/// implementation of `Remote`; nothing outside this module asks for a scheme.
struct RemoteKind: Sendable {
    /// The parameters for opening a remote, beside its URL.
    struct Context {
        var token: String?
        var clock: any StoreClock
        var trust: CertificateTrust
        var proxies = ProxyRule.none
    }

    /// The schemes of its URLs, in lower case.
    var schemes: Set<String>
    /// The schemes whose traffic is encrypted.
    var encryptedSchemes: Set<String> = []
    /// How its URLs are written, for the sentence about one that is none.
    var form: String
    /// Throws where a URL is not one of this kind.
    var validate: @Sendable (_ base: String) throws(RemoteAddressError) -> Void
    var open: @Sendable (_ base: String, Context) throws -> any Remote
    /// Makes a place ready to be the remote of a store in this folder.
    var prepare: @Sendable (_ base: String, _ store: FilePath) throws -> Void
    /// Whether what lies there still keeps its promises, as far as that can be tried; it may block.
    var prove: @Sendable (_ base: String) throws -> Void = { _ in }
    /// Whether the way to it leads over the machine's default route.
    var usesDefaultRoute: @Sendable (_ base: String) -> Bool
    /// The medium that holds submissions on their way.
    var medium: DeliveryMedium
    /// Whether it may have class lists, and codes of people.
    var hasPeople = false

    /// Every kind that there is.
    static let all: [RemoteKind] = [server, folder, bucket]

    /// The kind that a URL is of, by its scheme; `nil` where there is none.
    static func of(_ base: String) -> RemoteKind? {
        guard let scheme = scheme(base) else { return nil }
        return all.first { $0.schemes.contains(scheme) }
    }

    static func scheme(_ base: String) -> String? { base.firstIndex(of: ":").map { base[..<$0].lowercased() } }
}
