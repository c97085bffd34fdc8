import Glibc
import NIOCore

/// Where a connection comes from, as far as it tells one device from another.
///
/// A device with IPv6 has 2⁶⁴ addresses of its own, so their first 64 bits count. An IPv4 address in IPv6 form is the same as
/// without it.
package struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(_ address: SocketAddress?) {
        switch address {
        case .v4(let address): bytes = withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
        case .v6(let address):
            let all = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
            let isMapped = all.prefix(10).allSatisfy { $0 == 0 } && all[10] == 0xFF && all[11] == 0xFF
            bytes = isMapped ? Array(all.suffix(4)) : Array(all.prefix(8))
        case .unixDomainSocket, nil: bytes = []
        }
    }
}
