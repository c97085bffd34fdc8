import HTTPTypes
import Model

/// An entity tag (RFC 9110 section 8.8.3).
package struct EntityTag: Hashable, Sendable {
    /// The unchanged field value, for conditions.
    package var value: String
    package var isWeak: Bool

    /// - Returns: `nil` for an empty value and for invalid text: a different one would look the same.
    package init?(_ value: some StringProtocol) {
        guard !value.isEmpty, value.isWholeText else { return nil }
        self.value = String(value)
        isWeak = !value.utf8.starts(with: [UInt8(ascii: "\"")])
    }

    private var opaque: Substring { value.hasPrefix("W/") ? value.dropFirst(2) : value[...] }

    /// Whether it can be relied upon byte for byte. A malformed tag (without quotes) counts as weak.
    package var isStrong: Bool { !isWeak }

    /// Section 8.8.3.2: the tags are equal, weak or not.
    package static func weakly(_ left: EntityTag, _ right: EntityTag) -> Bool {
        left.opaque.hasSameBytes(as: right.opaque)
    }

    /// Section 8.8.3.2: the tags are equal, and both strong.
    package static func strongly(_ left: EntityTag, _ right: EntityTag) -> Bool {
        left.isStrong && right.isStrong && left == right
    }

    package static func == (left: EntityTag, right: EntityTag) -> Bool { left.value.hasSameBytes(as: right.value) }
}

/// Validators (RFC 9110 section 8.8).
package enum Validators {
    /// Both validators, where both are known: If-None-Match decides, If-Modified-Since serves old servers (RFC 9111
    /// section 4.3.1).
    package static func conditions(for stored: StoredResponse) -> HTTPFields {
        var fields = HTTPFields()
        if let etag = stored.etag.flatMap({ EntityTag($0) }) { fields[.ifNoneMatch] = etag.value }
        // Unchanged: some servers compare the text. An invalid date makes no condition.
        if stored.lastModified != nil { fields[.ifModifiedSince] = stored.first(.lastModified) }
        return fields
    }

    /// Whether If-None-Match names this entity tag: a list or `*`, compared weakly (RFC 9110 section 13.1.2).
    package static func ifNoneMatch(_ condition: String, matches etag: String) -> Bool {
        guard let tag = EntityTag(etag) else { return condition == "*" }
        return names(condition, tag, by: EntityTag.weakly)
    }

    /// Whether a list of entity tags, or `*`, includes this one.
    static func names(_ condition: String, _ tag: EntityTag?, by equal: (EntityTag, EntityTag) -> Bool) -> Bool {
        var members = ListReader(condition, hasEscapes: false)
        guard let first = members.next() else { return false }
        // `*` must stand alone: in a list it is an ordinary tag, and no response has it.
        if first == "*", members.next() == nil { return true }
        guard let tag else { return false }
        return ListReader(condition, hasEscapes: false).contains { member in
            EntityTag(member).map { equal($0, tag) } ?? false
        }
    }

    /// Whether a Last-Modified can be compared strongly: it is at least a second before the Date of its response (RFC
    /// 9110 section 8.8.2.2).
    static func isStrong(lastModified: Timestamp, date: Timestamp) -> Bool {
        date.secondsSinceEpoch - lastModified.secondsSinceEpoch >= 1
    }
}
