import Glibc

/// What this machine is called.
public enum MachineName {
    /// Its host name, the first part of it, and this with the ending of multicast DNS (RFC 6762); in lowercase.
    public static var all: [String] {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return [] }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let name = String(decoding: bytes, as: UTF8.self).lowercased()
        guard !name.isEmpty else { return [] }
        let first = String(name.prefix { $0 != "." })
        return [name, first, first + ".local"]
    }

    /// Whether a host is written as an address, without brackets.
    public static func isAddress(_ host: String) -> Bool {
        var (four, six) = (in_addr(), in6_addr())
        return inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
    }
}
