import Model

/// Which way a text runs, by its first letter (Unicode Standard Annex 9, rules P2 and P3).
package enum TextDirection: String, Sendable {
    case leftToRight = "ltr"
    case rightToLeft = "rtl"

    /// The direction of the first text that has a letter; left to right if none has. A question decides for its
    /// options: an option of digits alone has its question's direction.
    package init(of texts: [String]) {
        self = texts.lazy.flatMap(\.unicodeScalars).compactMap(Self.direction).first ?? .leftToRight
    }

    /// The direction of a questionnaire's own parts of a screen: its language's, or that of its first text with a letter.
    package init(of questionnaire: Questionnaire) {
        self =
            TextDirection(of: questionnaire.locale)
            ?? TextDirection(of: [questionnaire.title] + questionnaire.questions.map(\.text))
    }

    /// The direction of a language (RFC 5646) whose script runs from the right; `nil` for any other.
    package init?(of language: String?) {
        guard let language else { return nil }
        let tags = language.lowercased().split { $0 == "-" || $0 == "_" }
        guard let first = tags.first else { return nil }
        // A script that is stated goes before the language's usual one.
        if let script = tags.dropFirst().first(where: { $0.count == 4 && $0.allSatisfy(\.isLetter) }) {
            guard Self.scripts.contains(String(script)) else { return nil }
        } else {
            guard Self.languages.contains(String(first)) else { return nil }
        }
        self = .rightToLeft
    }

    // As in formatted.js of the app.
    private static let scripts: Set = ["arab", "hebr", "syrc", "thaa", "nkoo", "adlm", "rohg"]
    private static let languages: Set = [
        "ar", "arc", "ckb", "dv", "fa", "he", "iw", "nqo", "ps", "sd", "syr", "ug", "ur", "yi",
    ]

    /// The direction of a letter or of a mark that stands for one (U+200E, U+200F, U+061C); `nil` for any other character.
    private static func direction(_ scalar: Unicode.Scalar) -> TextDirection? {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
            isRightToLeft(scalar) ? .rightToLeft : .leftToRight
        default:
            switch scalar {
            case "\u{200E}": .leftToRight
            case "\u{200F}", "\u{61C}": .rightToLeft
            default: nil
            }
        }
    }

    /// The blocks of Hebrew, Arabic and the other scripts that run from the right (DerivedBidiClass.txt).
    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
