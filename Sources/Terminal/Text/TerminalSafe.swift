/// The text with everything taken out that could command a terminal, so that a remote's words can be shown.
///
/// Control characters (C0 but for line feed and tab, DEL, C1) and the two bidirectional overrides become U+FFFD;
/// carriage returns before line feeds are removed, and the other line separators become line feeds. Embeddings and
/// isolates, which right-to-left texts need, stay and are closed at the end of their line. Safe text is returned
/// unchanged.
package func terminalSafe(_ text: String) -> String {
    guard !isPlainlySafe(text), text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var safe = String.UnicodeScalarView()
    var open: [Unicode.Scalar] = []
    var previous: Unicode.Scalar = "\0"
    for scalar in text.unicodeScalars {
        defer { previous = scalar }
        switch scalar.value {
        case 0x0D: continue
        case 0x0A, 0x2028, 0x2029:
            safe.append(contentsOf: BidirectionalControls.closing(open))
            open = []
            safe.append("\n")
            continue
        default: break
        }
        if previous.value == 0x0D { safe.append(replacement) }
        if isControl(scalar) {
            safe.append(replacement)
        } else if BidirectionalControls.follow(scalar, &open) {
            safe.append(scalar)
        }
    }
    if previous.value == 0x0D { safe.append(replacement) }
    safe.append(contentsOf: BidirectionalControls.closing(open))
    return String(safe)
}

/// A text that is typed or pasted, as it is stored: line breaks are line feeds, and control characters become U+FFFD. Marks of
/// direction are the person's own.
func typedText(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isNotStored) else { return text }
    var typed = String.UnicodeScalarView()
    var previous: Unicode.Scalar = "\0"
    for scalar in text.unicodeScalars {
        defer { previous = scalar }
        if scalar == "\r" || scalar == "\n" && previous != "\r" {
            typed.append("\n")
        } else if scalar != "\n" {
            typed.append(isNotStored(scalar) ? replacement : scalar)
        }
    }
    return String(typed)
}

/// Controls that no one types.
func isNotStored(_ scalar: Unicode.Scalar) -> Bool {
    isControl(scalar) && !(0x202D...0x202E).contains(scalar.value)
}

/// A text in which a cursor stands, for a terminal: one scalar for each of its own. Marks of direction that are not closed in
/// their line, and all that could command a terminal, are shown as U+FFFD.
func terminalSafeInPlace(_ text: String) -> String {
    guard !isPlainlySafe(text), terminalSafe(text) != text else { return text }
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        let isLineBreak = scalar.value == 0x2028 || scalar.value == 0x2029
        shown.append(isLineBreak ? "\n" : scalar == "\r" || isUnsafe(scalar) ? replacement : scalar)
    }
    return String(shown)
}

/// A JSON text with everything escaped that could steer a terminal: it means the same.
///
/// The grammar allows no control character below U+0020 in a string. DEL, C1 and the bidirectional controls, which it
/// allows, can stand in strings alone, so each becomes `\uXXXX`.
package func terminalSafeJSON(_ json: String) -> String {
    guard json.unicodeScalars.contains(where: isUnsafeInJSON) else { return json }
    var safe = String.UnicodeScalarView()
    for scalar in json.unicodeScalars {
        if isUnsafeInJSON(scalar) {
            let digits = String(scalar.value, radix: 16)
            safe.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
        } else {
            safe.append(scalar)
        }
    }
    return String(safe)
}

private func isUnsafeInJSON(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value != 0x0D && isControl(scalar) || (0x2028...0x202E).contains(scalar.value)
        || (0x2066...0x2069).contains(scalar.value)
}

private let replacement: Unicode.Scalar = "\u{FFFD}"

/// Controls that never reach a terminal, whatever the text is for.
func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    case ..<0x20, 0x7F...0x9F, 0x202D, 0x202E: true
    default: false
    }
}

/// Whether a text consists of printable ASCII, Latin, Greek, Cyrillic, Armenian and Hebrew letters alone, as most do:
/// decided by its bytes, without examining characters. It has no tab and no end of a line either.
package func isPlainlySafe(_ text: String) -> Bool {
    // Several times as quick as the view of the string, and a list asks for each of its lines.
    text.utf8.withContiguousStorageIfAvailable(isPlainlySafe) ?? Array(text.utf8).withUnsafeBufferPointer(isPlainlySafe)
}

/// Within two bytes from C3 to D7 there are no controls, and continuation bytes have no meaning by themselves.
private func isPlainlySafe(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    // Without a branch in it, many bytes are done at once.
    var unsafe: UInt8 = 0
    for byte in bytes {
        let isASCII: UInt8 = byte &- 0x20 < 0x5F ? 1 : 0
        let isContinuing: UInt8 = byte &- 0x80 < 0x40 ? 1 : 0
        let isLetter: UInt8 = byte &- 0xC3 < 0x15 ? 1 : 0
        unsafe |= 1 ^ (isASCII | isContinuing | isLetter)
    }
    return unsafe == 0
}

private func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x2000
        ? isControl(scalar) : (0x2028...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
}
