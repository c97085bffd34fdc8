/// Why the hub cannot run, and what to do about it.
package enum HubError: Error, Hashable, Sendable, CustomStringConvertible {
    case invalidUpstream(String)
    case invalidAddress(String)
    case cannotListen(String, reason: String)
    /// A certificate or a key that cannot be used.
    case cannotProve(file: String, reason: String)
    /// Another hub, or a sync, has the store.
    case storeInUse(String)

    package var description: String {
        switch self {
        case .invalidUpstream(let text):
            // The part before an @ may be a password: it is not repeated.
            "“\(text.contains("@") ? "…" : text)” cannot be an upstream: give a URL such as https://example.org or "
                + "http://192.168.1.5:8484/school, without a name, password, query or fragment"
        case .invalidAddress(let text):
            "“\(text)” is no address to listen at: give one such as 0.0.0.0:8080 or [::1]:8080"
        case .cannotListen(let address, let reason): "cannot listen at \(address): \(reason)"
        case .cannotProve(let file, let reason):
            "\(file) cannot be used: \(reason): give PEM files that belong together with --certificate and --key"
        case .storeInUse(let path): "\(path) is in use by another hub: give each its own --store"
        }
    }
}
