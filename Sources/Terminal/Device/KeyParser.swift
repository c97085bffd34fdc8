/// Makes keys of the bytes of a terminal, however they are split over reads.
///
/// It knows the sequences of xterm and its kin (ECMA-48 CSI and SS3), those of the Linux console and rxvt, the
/// `CSI u` form, and bracketed paste. A sequence that it does not know is one unknown key and never text.
struct KeyParser {
    private var buffer: [UInt8] = []
    private var isPasting = false
    /// A line break of Windows may be split between two pieces of a paste.
    private var endedWithReturn = false

    /// Pasted text comes in pieces of about this many bytes, so that a paste without an end fills no memory.
    static let pasteBytes = 65_536
    /// Longer sequences than any terminal sends are dropped.
    private static let longestSequence = 64

    init() {}

    /// Bytes have come that may be the beginning of a key: ask `flush` when no more follow soon.
    var isWaiting: Bool { isPasting ? buffer.count > incompleteBytes : !buffer.isEmpty }

    /// The keys that are complete with these bytes.
    mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
        buffer.append(contentsOf: bytes)
        var keys: [Key] = []
        var start = 0
        while start < buffer.count {
            let taken = isPasting ? pasteStep(from: start, &keys) : step(buffer[start...], &keys)
            if taken == 0 { break }
            start += taken
        }
        buffer.removeFirst(start)
        return keys
    }

    /// The keys of the received bytes, if no more follow: a lone ESC is the Escape key.
    mutating func flush() -> [Key] {
        var keys: [Key] = []
        if isPasting {
            // The rest of a character that a pause splits follows with the next bytes.
            let whole = buffer.dropLast(incompleteBytes)
            appendPaste(whole, &keys)
            buffer.removeFirst(whole.count)
        } else if buffer.first == 0x1B {
            let rest = Array(buffer.dropFirst())
            buffer = []
            if rest.isEmpty {
                keys.append(.escape)
            } else if rest == [0x1B] {
                keys += [.escape, .escape]
            } else if rest.count == 1, let key = KeyParser.altKey(rest[0]) {
                // Alt-[ and Alt-O start sequences; alone they are keys.
                keys.append(key)
            } else {
                keys.append(.unknown)
            }
        } else if !buffer.isEmpty {
            buffer = []
            keys.append(.unknown)
        }
        return keys
    }

    /// Takes one key.
    ///
    /// - Returns: the bytes that it took; 0 when it is not complete.
    private mutating func step(_ bytes: ArraySlice<UInt8>, _ keys: inout [Key]) -> Int {
        guard let first = bytes.first else { return 0 }
        if first == 0x1B { return escapeStep(bytes, &keys) }
        if first < 0x20 || first == 0x7F {
            keys.append(KeyParser.controlKey(first))
            return 1
        }
        let length = KeyParser.scalarLength(first)
        guard length > 0 else {
            keys.append(.unknown)
            return 1
        }
        // A byte that does not continue the character begins the next one.
        let continuation = bytes.dropFirst().prefix(length - 1).prefix { $0 & 0xC0 == 0x80 }
        if continuation.count < length - 1 {
            if continuation.endIndex == bytes.endIndex { return 0 }
            keys.append(.unknown)
            return 1 + continuation.count
        }
        if let text = String(validating: bytes.prefix(length), as: UTF8.self), let character = text.first,
            text.unicodeScalars.allSatisfy({ !isNotStored($0) })
        {
            keys.append(.character(character))
        } else {
            keys.append(.unknown)
        }
        return length
    }

    private mutating func escapeStep(_ bytes: ArraySlice<UInt8>, _ keys: inout [Key]) -> Int {
        let rest = bytes.dropFirst()
        guard let second = rest.first else { return 0 }
        switch second {
        case UInt8(ascii: "["): return controlSequence(bytes, &keys)
        case UInt8(ascii: "O"):
            guard rest.count >= 2 else { return 0 }
            keys.append(KeyParser.keypadKey(rest[rest.startIndex + 1]))
            return 3
        case 0x1B:
            // rxvt puts one more ESC before an arrow for Alt.
            guard rest.count >= 2 else { return 0 }
            guard rest[rest.startIndex + 1] == UInt8(ascii: "[") else {
                keys.append(.escape)
                return 1
            }
            let taken = controlSequence(rest, &keys)
            if taken > 0, let last = keys.last { keys[keys.count - 1] = KeyParser.withAlt(last) }
            return taken == 0 ? 0 : taken + 1
        default:
            if let key = KeyParser.altKey(second) {
                keys.append(key)
                return 2
            }
            let taken = step(rest, &keys)
            if taken > 0, case .character(let character)? = keys.last { keys[keys.count - 1] = .alt(character) }
            return taken == 0 ? 0 : taken + 1
        }
    }

    /// ESC [ parameters final.
    private mutating func controlSequence(_ bytes: ArraySlice<UInt8>, _ keys: inout [Key]) -> Int {
        let body = bytes.dropFirst(2)
        if body.first == UInt8(ascii: "[") {
            // A function key of the Linux console.
            guard body.count >= 2 else { return 0 }
            keys.append(.unknown)
            return 4
        }
        let parameters = body.prefix { (0x20...0x3F).contains($0) }
        guard parameters.count <= KeyParser.longestSequence else {
            keys.append(.unknown)
            return 2 + parameters.count
        }
        guard parameters.endIndex < bytes.endIndex else { return 0 }
        let final = bytes[parameters.endIndex]
        let taken = 2 + parameters.count + 1
        guard (0x40...0x7E).contains(final) else {
            keys.append(.unknown)
            // Whatever broke the sequence is a key of its own.
            return taken - 1
        }
        let numbers = String(decoding: parameters, as: UTF8.self)
            .split(separator: ";", omittingEmptySubsequences: false)
            .map { Int($0.prefix { $0 != ":" }) ?? 0 }
        if final == UInt8(ascii: "~"), numbers.first == 200 {
            isPasting = true
            endedWithReturn = false
        } else {
            keys.append(KeyParser.sequenceKey(numbers, final: final))
        }
        return taken
    }
}

// MARK: - Paste

extension KeyParser {
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private mutating func pasteStep(from start: Int, _ keys: inout [Key]) -> Int {
        let bytes = buffer[start...]
        var search = bytes
        while let escape = search.firstIndex(of: 0x1B) {
            let candidate = bytes[escape...].prefix(KeyParser.pasteEnd.count)
            if candidate.elementsEqual(KeyParser.pasteEnd) {
                appendPaste(bytes[..<escape], &keys)
                isPasting = false
                return escape - start + KeyParser.pasteEnd.count
            }
            if KeyParser.pasteEnd.starts(with: candidate) { break }
            search = bytes[(escape + 1)...]
        }
        guard bytes.count > KeyParser.pasteBytes else { return 0 }
        // Cut where a character and no end mark can be split: before the last bytes that begin a character.
        var end = bytes.endIndex - KeyParser.pasteEnd.count
        while end > start, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        guard end > start else { return 0 }
        appendPaste(bytes[start..<end], &keys)
        return end - start
    }

    /// How many bytes at the end begin a character that is not complete.
    private var incompleteBytes: Int {
        for (length, byte) in zip(1...3, buffer.reversed()) where byte & 0xC0 != 0x80 {
            return KeyParser.scalarLength(byte) > length ? length : 0
        }
        return 0
    }

    /// A piece that is not UTF-8 is no text: without its bad bytes it would be another one than the person copied.
    private mutating func appendPaste(_ bytes: ArraySlice<UInt8>, _ keys: inout [Key]) {
        guard !bytes.isEmpty else { return }
        guard let pasted = String(validating: bytes, as: UTF8.self) else { return keys.append(.unknown) }
        var text = String.UnicodeScalarView()
        for scalar in pasted.unicodeScalars {
            let follows = endedWithReturn
            endedWithReturn = scalar == "\r"
            switch scalar {
            case "\r", "\u{2028}", "\u{2029}": text.append("\n")
            case "\n": if !follows { text.append("\n") }
            default: if !isNotStored(scalar) { text.append(scalar) }
            }
        }
        if !text.isEmpty { keys.append(.paste(String(text))) }
    }
}
