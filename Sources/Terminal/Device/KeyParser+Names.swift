// Which sequence is which key.

extension KeyParser {
    static func controlKey(_ byte: UInt8) -> Key {
        switch byte {
        case 0x08, 0x7F: .backspace
        case 0x09: .tab
        case 0x0A: .lineBreak
        case 0x0D: .enter
        case 0x01...0x1A: .control(Character(Unicode.Scalar(byte + 0x60)))
        default: .unknown
        }
    }

    /// ESC and one ASCII character: that character with Alt.
    static func altKey(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x0A, 0x0D: .lineBreak
        case 0x08, 0x7F: .deleteWord
        case 0x20...0x7E: withAlt(.character(Character(Unicode.Scalar(byte))))
        case ..<0x20: .unknown
        default: nil
        }
    }

    static func withAlt(_ key: Key) -> Key {
        switch key {
        case .left: .wordLeft
        case .right: .wordRight
        case .enter: .lineBreak
        case .backspace: .deleteWord
        case .character("b"): .wordLeft
        case .character("f"): .wordRight
        case .character(let character): .alt(character)
        default: key
        }
    }

    /// `CSI 1 ; modifiers letter`.
    static func letterKey(_ final: UInt8, modifiers: Int) -> Key {
        // Bits: 1 Shift, 2 Alt, 4 Ctrl.
        let isWord = modifiers & 6 != 0
        switch final {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return isWord ? .wordRight : .right
        case UInt8(ascii: "D"): return isWord ? .wordLeft : .left
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "Z"): return .backTab
        default: return .unknown
        }
    }

    /// `SS3 letter`: the arrows of application mode, the keypad's Enter, and Ctrl with an arrow in rxvt.
    static func keypadKey(_ final: UInt8) -> Key {
        switch final {
        case UInt8(ascii: "M"): .enter
        case UInt8(ascii: "c"): .wordRight
        case UInt8(ascii: "d"): .wordLeft
        default: letterKey(final, modifiers: 0)
        }
    }

    static func sequenceKey(_ numbers: [Int], final: UInt8) -> Key {
        let number = numbers.first ?? 0
        let modifiers = numbers.count > 1 ? max(0, numbers[1] - 1) : 0
        switch final {
        case UInt8(ascii: "~"):
            switch number {
            case 1, 7: return .home
            case 4, 8: return .end
            case 3: return modifiers & 4 != 0 ? .unknown : .delete
            case 5: return .pageUp
            case 6: return .pageDown
            // xterm's modifyOtherKeys: CSI 27 ; modifiers ; code ~
            case 27 where numbers.count == 3: return unicodeKey(numbers[2], modifiers: modifiers)
            default: return .unknown
            }
        case UInt8(ascii: "u"): return unicodeKey(number, modifiers: modifiers)
        default: return letterKey(final, modifiers: modifiers)
        }
    }

    /// A key by the code of its character.
    private static func unicodeKey(_ code: Int, modifiers: Int) -> Key {
        guard let value = UInt32(exactly: code), let scalar = Unicode.Scalar(value) else { return .unknown }
        let hasAlt = modifiers & 2 != 0
        let hasControl = modifiers & 4 != 0
        switch code {
        case 9: return modifiers & 1 != 0 ? .backTab : .tab
        case 13: return modifiers == 0 ? .enter : .lineBreak
        case 27: return .escape
        case 8, 127: return modifiers & 6 != 0 ? .deleteWord : .backspace
        default: break
        }
        guard !isNotStored(scalar) else { return .unknown }
        if hasControl {
            return scalar == "j" ? .lineBreak : scalar.properties.isAlphabetic ? .control(Character(scalar)) : .unknown
        }
        return hasAlt ? withAlt(.character(Character(scalar))) : .character(Character(scalar))
    }

    /// Bytes of the UTF-8 form of a character by its first one; 0 for a byte that begins none.
    static func scalarLength(_ first: UInt8) -> Int {
        switch first {
        case 0x20...0x7E: 1
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 0
        }
    }
}
