import HTTPTypes

/// A rule of the store's owner: replaces the server's Cache-Control for some URLs.
public struct CacheControlOverride: Hashable, Sendable, Codable {
    /// A URL in which `*` stands for any run of characters, `/` included.
    public var pattern: String
    /// The Cache-Control value that replaces the server's.
    public var value: String

    public init(pattern: String, value: String) {
        self.pattern = pattern
        self.value = value
    }

    package func matches(_ url: String) -> Bool { Self.glob(Array(pattern.utf8), Array(url.utf8)) }

    /// Replaces the response's Cache-Control and Expires with the value of the first rule that matches the URL.
    package static func apply(_ rules: [CacheControlOverride], to fields: HTTPFields, url: String) -> HTTPFields {
        guard let rule = rules.first(where: { $0.matches(url) }) else { return fields }
        var result = fields
        result[.cacheControl] = rule.value
        result[.expires] = nil
        return result
    }

    /// Greedy matching with one backtracking point: linear for any pattern that people write.
    private static func glob(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
        let star = UInt8(ascii: "*")
        var (place, index) = (0, 0)
        var retry: (place: Int, index: Int)?
        while index < text.count {
            if place < pattern.count, pattern[place] == star {
                retry = (place + 1, index)
                place += 1
            } else if place < pattern.count, pattern[place] == text[index] {
                place += 1
                index += 1
            } else if let back = retry {
                retry = (back.place, back.index + 1)
                (place, index) = (back.place, back.index + 1)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == star }
    }
}
