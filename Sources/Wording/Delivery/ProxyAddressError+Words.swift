import Model

extension ProxyAddressError: DescribedError {
    /// Why a proxy cannot be used, and what to do.
    package var description: String {
        switch self {
        case .invalid(let source):
            "\(source) names no proxy: write it as http://HOST:PORT, or http://NAME:PASSWORD@HOST:PORT"
        case .unknownScheme(let scheme, let source):
            "\(source) names a proxy of the kind “\(scheme)”, and only HTTP proxies can be used: write http://HOST:PORT"
        }
    }
}
