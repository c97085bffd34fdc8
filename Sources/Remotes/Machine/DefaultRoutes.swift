/// The network interfaces over which this machine reaches everything else, by the kernel's tables.
package enum DefaultRoutes {
    package static func interfaces() -> Set<String> {
        let tables = PresenceProbe.read(["route", "ipv6_route"]) ?? []
        return tables.reduce(into: Set()) { $0.formUnion(interfaces(table: $1)) }
    }

    /// Of `/proc/net/route` (name first, destination and mask zero, flag 1 is “up”) or `/proc/net/ipv6_route` (name last,
    /// prefix length zero).
    static func interfaces(table: String) -> Set<String> {
        var names: Set<String> = []
        for line in table.split(separator: "\n") {
            let columns = line.split(whereSeparator: \.isWhitespace)
            if columns.count == 10, columns[1] == "00", columns[9] != "lo" { names.insert(String(columns[9])) }
            if columns.count >= 11 || columns.count == 8, columns[1] == "00000000", columns[7] == "00000000",
                let flags = UInt32(columns[3], radix: 16), flags & 1 == 1
            {
                names.insert(String(columns[0]))
            }
        }
        return names
    }
}
