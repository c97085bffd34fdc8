import Glibc

/// The identity of a client for limits.
package enum ClientAddress {
    /// An IPv4 address; for IPv6 the first 64 bits, since one device has all addresses below them (RFC 4291 section
    /// 2.5.1).
    package static func key(_ address: String) -> String {
        guard address.contains(":") else { return address }
        var bytes = in6_addr()
        let plain = address.prefix { $0 != "%" }
        guard inet_pton(AF_INET6, String(plain), &bytes) == 1 else { return address }
        let all = withUnsafeBytes(of: bytes) { Array($0) }
        // An IPv4 address in IPv6 form (RFC 4291 section 2.5.5.2).
        if all.prefix(10).allSatisfy({ $0 == 0 }), all[10] == 0xFF, all[11] == 0xFF {
            return all.suffix(4).map { String($0) }.joined(separator: ".")
        }
        if all.prefix(15).allSatisfy({ $0 == 0 }) { return address }
        return all.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }
}
