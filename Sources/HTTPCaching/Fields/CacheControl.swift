import HTTPTypes

/// The directives of Cache-Control (RFC 9111 section 5.2, RFC 5861, RFC 8246), parsed once into plain values.
///
/// Parsing is as tolerant as the RFC allows: names in any case, arguments as tokens or quoted strings, empty list
/// members, several fields, unknown directives. It never makes a response fresher than its server said: an invalid
/// number counts as 0 (section 4.2.1), and of contradicting directives the stricter one applies, since each is
/// evaluated on its own.
package struct CacheControl: Hashable, Sendable {
    struct Flags: OptionSet, Hashable, Sendable {
        var rawValue: UInt16

        static let noStore = Flags(rawValue: 1 << 0)
        static let noCache = Flags(rawValue: 1 << 1)
        static let mustRevalidate = Flags(rawValue: 1 << 2)
        static let proxyRevalidate = Flags(rawValue: 1 << 3)
        static let mustUnderstand = Flags(rawValue: 1 << 4)
        static let isPublic = Flags(rawValue: 1 << 5)
        static let isPrivate = Flags(rawValue: 1 << 6)
        static let immutable = Flags(rawValue: 1 << 7)
        static let onlyIfCached = Flags(rawValue: 1 << 8)
    }

    var flags: Flags = []

    /// `max-age` in seconds (sections 5.2.1.1 and 5.2.2.1).
    package internal(set) var maxAge: Int?
    /// `s-maxage` in seconds (section 5.2.2.10).
    package internal(set) var sharedMaxAge: Int?
    /// `max-stale` in seconds (section 5.2.1.2); `.max` when it has no argument: any staleness.
    package internal(set) var maxStale: Int?
    /// `min-fresh` in seconds (section 5.2.1.3).
    package internal(set) var minFresh: Int?
    /// `stale-while-revalidate` in seconds (RFC 5861 section 3).
    package internal(set) var staleWhileRevalidate: Int?
    /// `stale-if-error` in seconds (RFC 5861 section 4).
    package internal(set) var staleIfError: Int?
    /// The fields that `no-cache="…"` names (section 5.2.2.4).
    package internal(set) var noCacheFields: [HTTPField.Name] = []
    /// The fields that `private="…"` names (section 5.2.2.7).
    package internal(set) var privateFields: [HTTPField.Name] = []

    package init() {}

    /// All Cache-Control fields of a message together.
    package init(_ fields: HTTPFields) {
        guard fields.contains(.cacheControl) else { return }
        for value in fields[values: .cacheControl] { read(value) }
    }

    package init(_ value: String) { read(value) }

    /// `no-store` (sections 5.2.1.5 and 5.2.2.5).
    package var noStore: Bool { flags.contains(.noStore) }
    /// `no-cache` without field names (sections 5.2.1.4 and 5.2.2.4): validate before use.
    package var noCache: Bool { flags.contains(.noCache) }
    /// `must-revalidate` (section 5.2.2.2).
    package var mustRevalidate: Bool { flags.contains(.mustRevalidate) }
    /// `proxy-revalidate` (section 5.2.2.8).
    package var proxyRevalidate: Bool { flags.contains(.proxyRevalidate) }
    /// `must-understand` (section 5.2.2.3).
    package var mustUnderstand: Bool { flags.contains(.mustUnderstand) }
    /// `public` (section 5.2.2.9).
    package var isPublic: Bool { flags.contains(.isPublic) }
    /// `private` without field names (section 5.2.2.7).
    package var isPrivate: Bool { flags.contains(.isPrivate) }
    /// `immutable` (RFC 8246).
    package var isImmutable: Bool { flags.contains(.immutable) }
    /// `only-if-cached` (section 5.2.1.7).
    package var onlyIfCached: Bool { flags.contains(.onlyIfCached) }

    /// Longer delta-seconds are clamped to this (section 1.2.2).
    package static let maximumSeconds = 1 << 31

    /// The argument of a directive, after its `=`.
    enum Argument {
        case none
        case text(String)
        /// Neither a token nor a quoted string.
        case malformed

        /// Delta-seconds: digits alone, at most 2³¹ (section 1.2.2); `nil` for an invalid number.
        var seconds: Int? {
            guard case .text(let text) = self, !text.isEmpty else { return nil }
            var value = 0
            for byte in text.utf8 {
                guard byte >= 0x30, byte <= 0x39 else { return nil }
                value = min(value * 10 + Int(byte - 0x30), CacheControl.maximumSeconds)
            }
            return value
        }

        /// The field names of a qualified `no-cache` or `private`; `nil` where the directive applies to the complete
        /// response: no argument, an empty or invalid one, or one that names a field without which the rest would be
        /// misread.
        var names: [HTTPField.Name]? {
            guard case .text(let text) = self else { return nil }
            var names: [HTTPField.Name] = []
            for part in ListReader(text) {
                guard let name = HTTPField.Name(String(part)), !Self.needed.contains(name) else { return nil }
                names.append(name)
            }
            return names.isEmpty ? nil : names
        }

        private static let needed: Set<HTTPField.Name> = [
            .age, .cacheControl, .cdnCacheControl, .contentEncoding, .contentLength, .contentRange, .contentType, .date,
            .expires, .vary,
        ]
    }

    /// Adds one directive. If one with a number is repeated, the first counts (section 4.2.1).
    mutating func take(_ name: String, _ argument: Argument) {
        switch name {
        case "max-age": maxAge = maxAge ?? argument.seconds ?? 0
        case "s-maxage": sharedMaxAge = sharedMaxAge ?? argument.seconds ?? 0
        case "no-store": flags.insert(.noStore)
        case "no-cache":
            if let names = argument.names { noCacheFields += names } else { flags.insert(.noCache) }
        case "private":
            if let names = argument.names { privateFields += names } else { flags.insert(.isPrivate) }
        case "public": flags.insert(.isPublic)
        case "must-revalidate": flags.insert(.mustRevalidate)
        case "proxy-revalidate": flags.insert(.proxyRevalidate)
        case "must-understand": flags.insert(.mustUnderstand)
        case "immutable": flags.insert(.immutable)
        case "only-if-cached": flags.insert(.onlyIfCached)
        case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? argument.seconds ?? 0
        case "stale-if-error": staleIfError = staleIfError ?? argument.seconds ?? 0
        case "min-fresh": minFresh = minFresh ?? argument.seconds ?? 0
        case "max-stale":
            if case .none = argument {
                maxStale = maxStale ?? .max
            } else {
                maxStale = maxStale ?? argument.seconds ?? 0
            }
        default: break
        }
    }
}
