import HTTPTypes
import RawStructuredFieldValues

/// The caching rules of one response: those of the first valid targeted field, else those of Cache-Control and Expires
/// (RFC 9213 section 2.2).
struct ResponseControl: Hashable, Sendable {
    var control: CacheControl
    /// Whether Expires counts: not beside a targeted field.
    var usesExpires: Bool

    init(_ fields: HTTPFields, targetedFields: [HTTPField.Name]) {
        for name in targetedFields where fields.contains(name) {
            if let control = CacheControl(targeted: fields[values: name]) {
                self.control = control
                usesExpires = false
                return
            }
        }
        control = CacheControl(fields)
        usesExpires = true
    }
}

extension CacheControl {
    /// A targeted field: a dictionary of structured fields (RFC 9213 section 2.1).
    ///
    /// - Returns: `nil` for an empty or malformed field, which is ignored.
    init?(targeted values: [String]) {
        // Several lines are one dictionary (RFC 9651 section 4.2).
        let text = values.joined(separator: ", ")
        guard text.utf8.count <= Self.longestTargetedField else { return nil }
        var parser = StructuredFieldValueParser(Array(text.utf8))
        guard let members = try? parser.parseDictionaryFieldValue(), members.count > 0 else { return nil }
        self.init()
        for (name, member) in members {
            // Parameters are ignored; no directive has an inner list.
            guard case .item(let item) = member else { continue }
            switch item.rfc9651BareItem {
            case .bool(true): take(name, .none)
            case .bool(false): break
            case .integer(let number): take(name, number < 0 ? .malformed : .text(String(number)))
            case .string(let text): takeText(name, text)
            case .token(let text): takeText(name, text)
            default: take(name, .malformed)
            }
        }
    }

    /// The parser looks up each key among those before it: a longer field would cost the square of its length.
    private static let longestTargetedField = 8192

    /// A number must be an Integer (RFC 9213 section 2.1): the string `"60"` is invalid.
    private mutating func takeText(_ name: String, _ text: String) {
        switch name {
        case "no-cache", "private": take(name, .text(text))
        default: take(name, .malformed)
        }
    }
}
