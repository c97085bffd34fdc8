import CFolding

/// Compares free texts as answers: without regard to case, accents, ё/е, width and needless spaces, and with regard to
/// every sign, digit and symbol, so that `5` is not `-5` and `C` is not `C#`.
///
/// `Tests/Vectors/text-answers.json` has the cases. Search compares texts by `TextFolding`, which drops signs.
package enum AnswerText {
    /// Whether two texts are the same answer.
    package static func isSame(_ left: String, _ right: String) -> Bool {
        if left == right { return true }
        let compared = form(of: left)
        return !compared.isEmpty && compared == form(of: right)
    }

    /// The compared form: words folded as for search, signs unchanged, no space beside a sign.
    static func form(of text: String) -> String {
        var form = Form()
        for scalar in text.unicodeScalars { form.append(scalar) }
        return withDecimalPoint(form.finish())
    }

    /// Replaces a decimal comma with a point.
    private static func withDecimalPoint(_ text: String) -> String {
        let digits = text.drop { $0 == "-" || $0 == "+" }
        let parts = digits.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, text.count - digits.count <= 1,
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { "0"..."9" ~= $0 } })
        else { return text }
        return text.replacing(",", with: ".")
    }

    private struct Form {
        private var result = ""
        /// The characters that search folds as words.
        private var words = String.UnicodeScalarView()
        private var isAfterPower = false

        mutating func append(_ scalar: Unicode.Scalar) {
            if scalar.properties.isDefaultIgnorableCodePoint { return }
            if let digit = AnswerText.powers[scalar] {
                appendSign((isAfterPower ? "" : "^") + digit)
                isAfterPower = true
                return
            }
            isAfterPower = false
            if let sign = AnswerText.equalSigns[scalar] { return appendSign(sign) }
            if (0xFF01...0xFF5E).contains(scalar.value), let ascii = Unicode.Scalar(scalar.value - 0xFEE0) {
                return append(ascii)
            }
            let isMark = quire_fold_lookup(scalar.value) == 1
            if isMark, words.isEmpty, !result.isEmpty {
                // A combining mark makes a different sign: ≠ may be written as = and a stroke.
                return appendSign(String(scalar))
            }
            if isMark || scalar.properties.isWhitespace || !AnswerText.isSign(scalar) {
                words.append(scalar)
            } else {
                appendSign(AnswerText.folded(scalar))
            }
        }

        private mutating func appendSign(_ sign: String) {
            flush()
            result += sign
        }

        private mutating func flush() {
            if !words.isEmpty { result += TextFolding.fold(String(words)) }
            words = String.UnicodeScalarView()
        }

        /// Drops the mark that ends a sentence: after a word, or a point after a number.
        mutating func finish() -> String {
            flush()
            let text = result[...]
            var rest = text
            while let last = rest.last, ".!?".contains(last) { rest.removeLast() }
            guard rest.count < text.count, let last = rest.last else { return result }
            let isWord = last.isLetter && rest.dropLast().last?.isLetter == true
            return isWord || (last.isNumber && text.count == rest.count + 1 && text.last == ".") ? String(rest) : result
        }
    }

    /// Punctuation and symbols, in any script.
    private static func isSign(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol, .connectorPunctuation, .dashPunctuation,
            .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation, .control,
            .otherNumber:
            true
        default: false
        }
    }

    /// A letterlike sign or a subscript digit in its plain form, where that loses nothing.
    private static func folded(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .otherSymbol, .otherNumber: break
        default: return String(scalar)
        }
        let form = TextFolding.fold(String(scalar))
        return form.isEmpty || form.contains(" ") ? String(scalar) : form
    }

    /// Signs that have several printed forms.
    private static let equalSigns: [Unicode.Scalar: String] = {
        var signs: [Unicode.Scalar: String] = ["\u{2026}": "...", "\u{2044}": "/", "\u{2215}": "/", "\u{00D7}": "*"]
        for dash in "\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}\u{FE58}\u{FE63}\u{FF0D}".unicodeScalars {
            signs[dash] = "-"
        }
        for quote in "\u{00AB}\u{00BB}\u{201C}\u{201D}\u{201E}\u{201F}".unicodeScalars { signs[quote] = "\"" }
        for apostrophe in "\u{2018}\u{2019}\u{201A}\u{201B}\u{02BC}\u{02B9}\u{2032}`\u{00B4}'".unicodeScalars {
            signs[apostrophe] = "'"
        }
        return signs
    }()

    /// Superscript digits and signs, as people type them after `^`.
    private static let powers: [Unicode.Scalar: String] = {
        var powers: [Unicode.Scalar: String] = [:]
        let plain = "0123456789+-"
        let raised = "\u{2070}\u{B9}\u{B2}\u{B3}\u{2074}\u{2075}\u{2076}\u{2077}\u{2078}\u{2079}\u{207A}\u{207B}"
        for (scalar, character) in zip(raised.unicodeScalars, plain) { powers[scalar] = String(character) }
        return powers
    }()
}
