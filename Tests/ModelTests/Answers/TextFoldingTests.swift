import Foundation
import Model
import Simulation
import Testing

@Suite("Search and order see the same text in every way that it can be written")
struct TextFoldingTests {
    @Test(
        "texts that mean the same are the same",
        arguments: [
            ("Ёлка,  ЁЖ — и «Café»", "елка еж и cafe"), ("МОСКВА", "москва"), ("Йод", "йод"), ("И\u{306}од", "йод"),
            ("їжак Ї", "їжак ї"), ("\u{456}\u{308}", "ї"), ("У\u{306}", "ў"), ("ЕЁ", "ее"), ("Е\u{308}", "е"),
            ("ＦＵＬＬ　ｗｉｄｔｈ１２", "full width12"), ("ﬁre ﬂag ﬃ", "fire flag ffi"), ("Straße STRASSE", "strasse strasse"),
            ("Ångström", "angstrom"), ("naïve—co-op", "naive co op"), ("don't don’t dont", "dont dont dont"),
            ("Việt Nam", "viet nam"), ("đường", "duong"), ("Łódź", "lodz"), ("Ærø Œuvre", "aero oeuvre"), ("ıİ", "ii"),
            ("مُحَمَّد", "محمد"), ("محمـــد", "محمد"), ("שָׁלוֹם", "שלום"), ("x²", "x2"), ("½", "1 2"), ("№ 5", "no 5"),
            ("™", "tm"),
            ("ΑΣΣ ας", "ασσ ασ"), ("a\u{AD}b\u{200B}c\u{FEFF}d", "abcd"), ("  \t\n a \u{A0}\u{3000} b  ", "a b"),
            ("", ""), ("—!?", ""),
            ("日本語", "日本語"), ("ﾊﾟ", "ハ\u{309A}"), ("㍿", "株式会社"),
        ])
    func folding(_ text: String, _ expected: String) {
        #expect(Array(TextFolding.fold(text).utf8) == Array(expected.utf8), "\(TextFolding.fold(text))")
    }

    @Test("emoji survive", arguments: ["😀", "🇷🇺", "🏽", "🚀", "🧪", "𝄞", "𠀀"])
    func emoji(_ text: String) {
        #expect(!TextFolding.fold(text).isEmpty)
    }

    @Test("a joined or coloured emoji is found by its parts, whatever its selector")
    func emojiParts() {
        #expect(TextFolding.fold("❤️") == TextFolding.fold("❤"))
        #expect(TextFolding.foldedBytes("👩‍💻").starts(with: "👩".utf8))
        #expect(TextFolding.foldedBytes("👍🏽").starts(with: "👍".utf8))
    }

    @Test("letters that only look accented stay letters", arguments: [("й", "и"), ("ї", "і"), ("ў", "у")])
    func letters(_ letter: String, _ other: String) {
        #expect(TextFolding.fold(letter) != TextFolding.fold(other))
    }

    @Test("composed and decomposed text is the same: every character of Unicode, alone and in words")
    func normalForms() {
        var different: [String] = []
        for value: UInt32 in 0x20..<0x3_0000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(scalar)
            let folded = TextFolding.fold(text)
            if folded != TextFolding.fold(text.decomposedStringWithCanonicalMapping)
                || folded != TextFolding.fold(text.precomposedStringWithCanonicalMapping)
            {
                different.append("U+" + String(value, radix: 16))
            }
        }
        #expect(different.isEmpty, "\(different.count): \(different.prefix(20))")
    }

    @Test(
        "words in several scripts are the same in either normal form",
        arguments: [
            "Tiếng Việt có dấu: ắ ằ ẳ ẵ ặ ỡ ữ", "Ёжик в тумане, Йошкар-Ола, Київ", "한국어 시험 문제", "ガギグゲゴ パピプペポ",
            "Ἀθῆναι ᾧ", "किताब क़लम", "ሰላም", "Ǻǭ ȱ ṩ", "العَرَبِيَّة أؤئ", "བོད",
        ])
    func words(_ text: String) {
        let composed = TextFolding.foldedBytes(text.precomposedStringWithCanonicalMapping)
        #expect(composed == TextFolding.foldedBytes(text.decomposedStringWithCanonicalMapping))
        #expect(composed == TextFolding.foldedBytes(text))
        #expect(!composed.isEmpty)
    }

    @Test("folding twice changes nothing more, and case does not matter: every character of Unicode")
    func idempotent() {
        var changed: [String] = []
        var cased: [String] = []
        for value: UInt32 in 0x20..<0x3_0000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let folded = TextFolding.foldedBytes(String(scalar))
            if TextFolding.foldedBytes(String(decoding: folded, as: UTF8.self)) != folded {
                changed.append("U+" + String(value, radix: 16))
            }
            let (lower, upper) = (scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping)
            // Letters that are newer than the table stand for themselves.
            if (lower + upper).unicodeScalars.contains(where: { $0.properties.age.map { $0 > (15, 1) } ?? true }) {
                continue
            }
            if TextFolding.foldedBytes(upper) != TextFolding.foldedBytes(lower) {
                cased.append("U+" + String(value, radix: 16))
            }
        }
        #expect(changed.isEmpty, "\(changed.count): \(changed.prefix(20))")
        #expect(cased.isEmpty, "\(cased.count): \(cased.prefix(20))")
    }

    @Test("the folded form has single spaces, none at an end, and never crashes", arguments: 0..<10)
    func form(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...30, using: &generator) {
                let limit: UInt32 = Bool.random(using: &generator) ? 0x500 : 0x11_0000
                if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &generator)) {
                    scalars.append(scalar)
                }
            }
            let folded = TextFolding.foldedBytes(String(scalars))
            #expect(folded.first != 0x20 && folded.last != 0x20, "seed \(seed)")
            #expect(!zip(folded, folded.dropFirst()).contains { $0 == (0x20, 0x20) }, "seed \(seed)")
            #expect(String(validating: folded, as: UTF8.self) != nil)
        }
    }

    // MARK: - Order

    @Test("titles are in the order that people expect: numbers by value, case and accents aside")
    func order() {
        let sorted = [
            "", "2 билета", "10 билетов", "Билет 1", "билет 2", "Билет 2а", "Билет 2 б", "БИЛЕТ 10", "Билет 100",
            "Билет № 5",
            "Ёж", "Ежевика", "Éclair", "éclair 2", "Zebra",
        ]
        func sort(_ titles: [String]) -> [String] {
            titles.sorted { TextFolding.sortKey($0).utf8.lexicographicallyPrecedes(TextFolding.sortKey($1).utf8) }
        }
        let pairs = [
            ("2 билета", "10 билетов"), ("Билет 1", "билет 2"), ("билет 2", "БИЛЕТ 10"), ("БИЛЕТ 10", "Билет 100"),
            ("Билет 99", "Билет 100"), ("Ёж", "Ежевика"), ("Éclair", "éclair 2"), ("éclair 2", "Zebra"),
            ("Билет 09", "Билет 10"), ("v1.9", "v1.10"), ("a", "b"), ("a1b2", "a1b10"), ("", "a"), ("9", "a"),
        ]
        for (lower, greater) in pairs {
            #expect(sort([greater, lower]) == [lower, greater], "\(lower) before \(greater)")
        }
        #expect(sort(sorted.shuffled()).first?.isEmpty == true)
    }

    @Test("numbers of any length are in the order of their values", arguments: 0..<10)
    func numbers(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func number() -> String {
            let digits = (0..<Int.random(in: 1...30, using: &generator)).map { _ in
                Int.random(in: 0...9, using: &generator)
            }
            return String(
                (String(Int.random(in: 1...9, using: &generator)) + digits.map(String.init).joined()).prefix(28))
        }
        for _ in 0..<500 {
            let (left, right) = (number(), number())
            let byValue = left.count == right.count ? left < right : left.count < right.count
            let byKey = TextFolding.sortKey("n " + left).utf8.lexicographicallyPrecedes(
                TextFolding.sortKey("n " + right).utf8)
            #expect(byKey == byValue, "seed \(seed): \(left), \(right)")
            #expect(TextFolding.sortKey("00" + left) == TextFolding.sortKey(left))
        }
        for (less, more) in [("0", "1"), ("999999999", "1000000000"), ("99999999", "100000000")] {
            #expect(TextFolding.sortKey(less).utf8.lexicographicallyPrecedes(TextFolding.sortKey(more).utf8))
        }
        #expect(TextFolding.sortKey("0") == TextFolding.sortKey("000"))
    }

    @Test("a Korean syllable is found while it is being typed")
    func hangul() {
        #expect(TextFolding.foldedBytes("한국어").starts(with: TextFolding.foldedBytes("하")))
        #expect(!TextFolding.foldedBytes("한국어").starts(with: TextFolding.foldedBytes("호")))
    }

    @Test("equal texts have equal keys")
    func equalKeys() {
        #expect(TextFolding.sortKey("Ёлка 07") == TextFolding.sortKey("елка  7!"))
        #expect(TextFolding.sortKey("Cafe\u{301}") == TextFolding.sortKey("CAFÉ"))
    }
}
