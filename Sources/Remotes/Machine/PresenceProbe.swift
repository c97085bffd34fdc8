import Disk
import Model
import Sync

/// Reads from the kernel's tables whether a machine is reachable: no socket is opened, no packet sent.
///
/// It only knows obstacles (no listener on this machine's port, no route); otherwise it reports that trying is
/// worthwhile.
struct PresenceProbe: Sendable {
    let host: String
    let port: Int

    func presence() -> Presence {
        if Self.isHere(host) {
            guard let tables = Self.read(["tcp", "tcp6"]) else { return .likely }
            return tables.contains { Self.isListening(port: port, table: $0) }
                ? .certain : .away("nothing listens on \(host):\(port)")
        }
        guard let tables = Self.read(["route", "ipv6_route"]), tables.count == 2 else { return .likely }
        let isRouted =
            Self.hasRoute(table: tables[0], to: HostAndPort.ipv4(host)) || Self.hasIPv6Route(table: tables[1])
        return isRouted ? .likely : .away("this machine has no network")
    }

    /// Whether a machine is this one, as far as its name shows.
    static func isHere(_ host: String) -> Bool {
        HostAndPort.isLoopback(host) || host.lowercased().hasSuffix(".localhost")
    }

    /// `/proc/net/tcp`: the local address is `ADDRESS:PORT` in hexadecimal, state 0A is LISTEN.
    static func isListening(port: Int, table: String) -> Bool {
        let wanted =
            ":" + String(repeating: "0", count: max(0, 4 - String(port, radix: 16).count))
            + String(port, radix: 16, uppercase: true)
        return table.split(separator: "\n").dropFirst().contains { line in
            let columns = line.split(separator: " ")
            return columns.count > 3 && columns[3] == "0A" && columns[1].hasSuffix(wanted)
        }
    }

    /// `/proc/net/route`: destination and mask in hexadecimal in the machine's byte order; flag 1 is “up”.
    static func hasRoute(table: String, to address: UInt32?) -> Bool {
        table.split(separator: "\n").dropFirst().contains { line in
            let columns = line.split(whereSeparator: \.isWhitespace)
            guard columns.count > 7, let destination = UInt32(columns[1], radix: 16),
                let flags = UInt32(columns[3], radix: 16), let mask = UInt32(columns[7], radix: 16), flags & 1 == 1
            else { return false }
            // A name may have any address: only a way to everywhere counts for it.
            guard let address else { return mask == 0 }
            return address.byteSwapped & mask == destination
        }
    }

    /// `/proc/net/ipv6_route`: a route to everywhere that does not end in `lo`.
    static func hasIPv6Route(table: String) -> Bool {
        table.split(separator: "\n").contains { line in
            let columns = line.split(separator: " ")
            return columns.count > 9 && columns[1] == "00" && columns[9] != "lo"
        }
    }

    /// The existing tables; `nil` if there are none.
    static func read(_ names: [String]) -> [String]? {
        guard let kernel = try? POSIXFileSystem(root: "/proc/net") else { return nil }
        let tables = names.compactMap { name -> String? in
            guard let (bytes, _) = try? kernel.readFile(.init(name), maximumBytes: 16 << 20) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        return tables.isEmpty ? nil : tables
    }
}
