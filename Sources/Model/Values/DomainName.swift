/// Host names in the form that the network uses.
package enum DomainName {
    /// A host's name as resolvers, Host fields and certificates have it: in lowercase, national letters in Punycode
    /// (RFC 3492, RFC 5891). Addresses are returned unchanged.
    ///
    ///     DomainName.ascii("Школа.рф")  // "xn--80atdl2c.xn--p1ai"
    ///
    /// - Returns: `nil` for an invalid host name.
    package static func ascii(_ host: some StringProtocol) -> String? {
        let decoded =
            host.utf8.contains(UInt8(ascii: "%")) && !host.hasPrefix("[") ? PercentEncoding.decode(host) : String(host)
        guard let decoded, !decoded.isEmpty else { return nil }
        if decoded.utf8.allSatisfy({ $0 < 0x80 }) {
            return isPlain(decoded) ? decoded.lowercased() : nil
        }
        var labels: [String] = []
        for label in composed(decoded.lowercased()).split(omittingEmptySubsequences: false, whereSeparator: isDot) {
            if label.allSatisfy({ $0.isASCII }) {
                labels.append(String(String.UnicodeScalarView(label)))
                continue
            }
            guard label.allSatisfy({ isLetter($0) }), let encoded = punycode(Array(label)) else { return nil }
            labels.append("xn--" + encoded)
        }
        let name = labels.joined(separator: ".")
        // RFC 1035 section 2.3.4.
        return labels.allSatisfy { $0.utf8.count <= 63 } && name.utf8.count <= 253 && isPlain(name) ? name : nil
    }

    /// A name, an IPv4 address, or an IPv6 address in brackets.
    private static func isPlain(_ host: String) -> Bool {
        let inner = host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host[...]
        let isAddress = inner.utf8.count < host.utf8.count
        return !inner.isEmpty
            && inner.utf8.allSatisfy { byte in
                if byte == UInt8(ascii: ":") || byte == UInt8(ascii: "%") { return isAddress }
                return byte > 0x20 && byte < 0x7F && !"\"#/<>?@[\\]^`{|}".utf8.contains(byte)
            }
    }

    /// Includes the full stops of other scripts (RFC 3490 section 3.1).
    private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
        [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"].contains(scalar)
    }

    /// A character that a name may contain unchanged. Which letters a domain accepts is its registry's decision (RFC
    /// 5891 section 4.4).
    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "-"
        }
        switch scalar.properties.generalCategory {
        case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            return false
        default: return true
        }
    }

    /// Composes `й` and `ё`, which some keyboards and file systems write decomposed.
    private static func composed(_ text: String) -> [Unicode.Scalar] {
        var scalars: [Unicode.Scalar] = []
        for scalar in text.unicodeScalars {
            switch (scalars.last, scalar) {
            case ("и", "\u{306}"): scalars[scalars.count - 1] = "й"
            case ("е", "\u{308}"): scalars[scalars.count - 1] = "ё"
            case ("і", "\u{308}"): scalars[scalars.count - 1] = "ї"
            case ("у", "\u{306}"): scalars[scalars.count - 1] = "ў"
            default: scalars.append(scalar)
            }
        }
        return scalars
    }

    /// RFC 3492 section 6.3, with the parameters of section 5.
    static func punycode(_ label: [Unicode.Scalar]) -> String? {
        var output = label.filter(\.isASCII).map { UInt8(truncatingIfNeeded: $0.value) }
        let basicCount = output.count
        var handled = basicCount
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var (next, delta, bias) = (0x80, 0, 72)
        while handled < label.count {
            guard let least = label.lazy.map({ Int($0.value) }).filter({ $0 >= next }).min() else { return nil }
            delta += (least - next) * (handled + 1)
            next = least
            for scalar in label {
                let value = Int(scalar.value)
                if value < next { delta += 1 }
                guard value == next else { continue }
                var rest = delta
                var place = 36
                while true {
                    let threshold = min(max(place - bias, 1), 26)
                    if rest < threshold { break }
                    output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
                    rest = (rest - threshold) / (36 - threshold)
                    place += 36
                }
                output.append(digit(rest))
                bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? Int(UInt8(ascii: "a")) + value : Int(UInt8(ascii: "0")) + value - 26)
    }

    /// RFC 3492 section 6.1.
    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps = 0
        while delta > 455 {
            delta /= 35
            steps += 36
        }
        return steps + 36 * delta / (delta + 38)
    }
}
