import Glibc
import Model

/// The addresses at which other machines reach this one.
package enum MachineAddresses {
    /// An address of one of this machine's networks.
    struct Found: Hashable {
        var interface: String
        var address: String
    }

    /// The addresses behind one that a program listens on: itself, or, for a wildcard address (`0.0.0.0`, `::`), those
    /// of each network that is up. Empty without a network.
    package static func reachable(_ host: String) -> [String] {
        isEveryNetwork(host) ? chosen(from: found(), for: host, routes: DefaultRoutes.interfaces()) : [host]
    }

    /// Whether a program that listens there listens on all networks of the machine.
    package static func isEveryNetwork(_ host: String) -> Bool { host == "0.0.0.0" || host == "::" }

    /// Those that another machine can use: no loopback, none of a single link (RFC 3927, RFC 4291). The networks that lead
    /// on come first, and IPv4, which is shorter to type.
    static func chosen(from found: [Found], for host: String, routes: Set<String>) -> [String] {
        let usable = found.filter { one in
            let isOlder = HostAndPort.ipv4(one.address) != nil
            if HostAndPort.isLoopback(one.address) || !isOlder && host == "0.0.0.0" { return false }
            return isOlder ? !one.address.hasPrefix("169.254.") : !one.address.lowercased().hasPrefix("fe80:")
        }
        func rank(_ one: Found) -> Int {
            (routes.contains(one.interface) ? 0 : 2) + (HostAndPort.ipv4(one.address) == nil ? 1 : 0)
        }
        var addresses: [String] = []
        for one in (0..<4).flatMap({ wanted in usable.filter { rank($0) == wanted } })
        where !addresses.contains(one.address) {
            addresses.append(one.address)
        }
        return addresses
    }

    private static func found() -> [Found] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [Found] = []
        var next = first
        while let entry = next {
            next = entry.pointee.ifa_next
            guard let address = entry.pointee.ifa_addr, entry.pointee.ifa_flags & UInt32(IFF_UP) != 0 else {
                continue
            }
            let family = Int32(address.pointee.sa_family)
            guard family == AF_INET || family == AF_INET6 else { continue }
            let length = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            var name = [UInt8](repeating: 0, count: Int(NI_MAXHOST))
            let isNamed = name.withUnsafeMutableBytes { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    getnameinfo(
                        address, socklen_t(length), $0.baseAddress, socklen_t($0.count), nil, 0, NI_NUMERICHOST) == 0
                }
            }
            guard isNamed else { continue }
            found.append(
                Found(
                    interface: String(cString: entry.pointee.ifa_name),
                    address: String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)))
        }
        return found
    }
}
