import HTTPTypes

/// The directives of Cache-Control (RFC 9111 section 5.2), read as tolerantly as the RFC allows: names in any case,
/// arguments as tokens or quoted strings, unknown directives kept and ignored.
public struct CacheControl: Hashable, Sendable {
    /// Directive names in lowercase with their arguments. Of a repeated directive the first one counts
    /// (section 4.2.1), except that `no-cache` without field names goes before one with them.
    public private(set) var directives: [String: String?] = [:]

    public init() {}

    /// All Cache-Control fields of a message together.
    public init(_ fields: HTTPFields) {
        for value in fields[values: .cacheControl] { parse(value) }
    }

    public init(_ value: String) { parse(value) }

    public func has(_ name: String) -> Bool { directives[name] != nil }

    /// The number of seconds of a directive such as `max-age`.
    ///
    /// - Returns: `nil` when the directive is absent; 0 when its argument is missing, negative or no number (the
    ///   response counts as stale, section 4.2.1); at most 2³¹ (section 1.2.2).
    public func seconds(_ name: String) -> Int? {
        guard let argument = directives[name] else { return nil }
        guard let argument, !argument.isEmpty, argument.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return 0 }
        return min(Int(argument) ?? CacheControl.maximumSeconds, CacheControl.maximumSeconds)
    }

    public static let maximumSeconds = 1 << 31

    /// `no-store` (sections 5.2.1.5 and 5.2.2.5).
    public var noStore: Bool { has("no-store") }

    /// `no-cache` without field names (section 5.2.2.4): not to be used before it was validated.
    public var noCache: Bool {
        guard let argument = directives["no-cache"] else { return false }
        return argument == nil || argument?.isEmpty == true
    }

    /// `must-revalidate` (section 5.2.2.2).
    public var mustRevalidate: Bool { has("must-revalidate") }

    private mutating func parse(_ value: String) {
        var rest = Substring(value).utf8
        while !rest.isEmpty {
            let name = CacheControl.token(&rest).lowercased()
            var argument: String?
            CacheControl.skipSpace(&rest)
            if rest.first == UInt8(ascii: "=") {
                rest.removeFirst()
                CacheControl.skipSpace(&rest)
                argument = rest.first == UInt8(ascii: "\"") ? CacheControl.quoted(&rest) : CacheControl.token(&rest)
            }
            if !name.isEmpty, directives[name] == nil || name == "no-cache" && argument == nil {
                directives[name] = .some(argument)
            }
            // What does not belong here is skipped up to the next comma.
            while let byte = rest.first, byte != UInt8(ascii: ",") { rest.removeFirst() }
            while let byte = rest.first, byte == UInt8(ascii: ",") || byte == 0x20 || byte == 0x09 {
                rest.removeFirst()
            }
        }
    }

    private static func skipSpace(_ rest: inout Substring.UTF8View) {
        while let byte = rest.first, byte == 0x20 || byte == 0x09 { rest.removeFirst() }
    }

    private static func token(_ rest: inout Substring.UTF8View) -> String {
        skipSpace(&rest)
        let end = rest.firstIndex { [0x20, 0x09, 0x2C, 0x3D, 0x3B, 0x22].contains($0) } ?? rest.endIndex
        defer { rest = rest[end...] }
        return String(Substring(rest[..<end]))
    }

    private static func quoted(_ rest: inout Substring.UTF8View) -> String {
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                bytes.append(escaped)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
