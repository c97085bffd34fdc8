import CFolding

/// The form that search and sorting compare: without regard to case, accents, ё/е, width, punctuation and composition,
/// in any script.
///
/// The rules are in `Sources/CFolding/generate.py`, which makes the table from the Unicode data.
package enum TextFolding {
    /// The folded form: words separated by single spaces, none at either end.
    ///
    ///     TextFolding.fold("Ёлка,  ЁЖ — и «Café»")  // "елка еж и cafe"
    package static func fold(_ text: String) -> String {
        String(decoding: foldedBytes(text), as: UTF8.self)
    }

    /// The folded form as UTF-8.
    package static func foldedBytes(_ text: String) -> [UInt8] {
        var folder = Folder(capacity: text.utf8.count)
        for scalar in text.unicodeScalars { folder.take(scalar.value) }
        return folder.finish()
    }

    /// A key whose bytewise order is the order of a list of titles: folded, with numbers ordered by value (“Ticket 2”
    /// before “Ticket 10”).
    package static func sortKey(_ text: String) -> String {
        var key: [UInt8] = []
        let folded = foldedBytes(text)
        key.reserveCapacity(folded.count + 4)
        var index = folded.startIndex
        while index < folded.endIndex {
            guard isDigit(folded[index]) else {
                key.append(folded[index])
                index += 1
                continue
            }
            var end = index
            while end < folded.endIndex, isDigit(folded[end]) { end += 1 }
            var start = index
            while start < end - 1, folded[start] == UInt8(ascii: "0") { start += 1 }
            // The length first, so that a longer number is greater: a 9 for each nine digits, then the rest.
            key.append(contentsOf: repeatElement(UInt8(ascii: "9"), count: (end - start) / 9))
            key.append(UInt8(ascii: "0") + UInt8((end - start) % 9))
            key.append(contentsOf: folded[start..<end])
            index = end
        }
        return String(decoding: key, as: UTF8.self)
    }

    /// Whether a folded word occurs in a folded text.
    package static func contains(_ text: UnsafeRawBufferPointer, _ word: [UInt8]) -> Bool {
        word.withUnsafeBytes { quire_contains(text.baseAddress, text.count, $0.baseAddress, $0.count) != 0 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private struct Folder {
        private var bytes: [UInt8] = []
        private var pendingSpace = false
        private var last: UInt32 = 0

        init(capacity: Int) { bytes.reserveCapacity(capacity) }

        mutating func take(_ scalar: UInt32) {
            if (0xAC00...0xD7A3).contains(scalar) { return takeHangul(scalar - 0xAC00) }
            let folded = scalar == 0x20 ? 0x20 : quire_fold_lookup(scalar)
            switch folded {
            case 0: append(scalar)
            case 1: compose(scalar)
            case 0x20: pendingSpace = !bytes.isEmpty
            case 0x8000_0000...:
                let place = folded & 0x7FFF_FFFF
                for offset in 1...quire_fold_sequence(place) {
                    let part = quire_fold_sequence(place + offset)
                    if part == 0x20 { pendingSpace = !bytes.isEmpty } else { append(part) }
                }
            default: append(folded)
            }
        }

        /// A Korean syllable becomes its letters (Unicode section 3.12), as in its decomposed form: the first letters
        /// of a syllable match while it is being typed.
        private mutating func takeHangul(_ place: UInt32) {
            append(0x1100 + place / 588)
            append(0x1161 + place % 588 / 28)
            if place % 28 > 0 { append(0x11A7 + place % 28) }
        }

        /// й, ў and ї are letters of their own; decomposed they are a letter and a mark that would otherwise be
        /// dropped.
        private mutating func compose(_ mark: UInt32) {
            let letter: UInt32
            switch (last, mark) {
            case (0x438, 0x306): letter = 0x439
            case (0x443, 0x306): letter = 0x45E
            case (0x456, 0x308): letter = 0x457
            default: return
            }
            bytes.removeLast(2)
            last = 0
            appendUTF8(letter)
        }

        private mutating func append(_ scalar: UInt32) {
            if pendingSpace {
                bytes.append(0x20)
                pendingSpace = false
            }
            last = scalar
            appendUTF8(scalar)
        }

        private mutating func appendUTF8(_ scalar: UInt32) {
            if scalar < 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: scalar))
            } else if let value = Unicode.Scalar(scalar) {
                bytes.append(contentsOf: UTF8.encode(value) ?? UTF8.encodedReplacementCharacter)
            }
        }

        mutating func finish() -> [UInt8] { bytes }
    }
}
