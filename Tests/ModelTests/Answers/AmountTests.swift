import Model
import Testing
import Wording

@Suite("Amounts are read and written as people do")
struct AmountTests {
    @Test(
        "sizes are read in decimal and binary units",
        arguments: [
            ("0", 0), ("1048576", 1_048_576), ("200MB", 200_000_000), ("1.5 GB", 1_500_000_000), ("64KiB", 65_536),
            ("2k", 2000),
            ("1gib", 1_073_741_824), ("512 B", 512), (" 7 mb ", 7_000_000), (".5k", 500),
            ("1,5MB", 1_500_000), ("1,5 ГБ", 1_500_000_000), ("200 МБ", 200_000_000), ("7 кб", 7000),
        ] as [(String, Int64?)])
    func sizes(_ text: String, _ expected: Int64?) {
        #expect(ByteCount.parse(text) == expected)
    }

    @Test(
        "what is no size is refused",
        arguments: [
            "", "MB", "-1", "1e3", "1,500 MB", "1,5,5", "1.2.3", "5 apples", "inf", "nan", "10000000000 TB", "½MB", "٣",
            "0x10",
        ])
    func noSize(_ text: String) {
        #expect(ByteCount.parse(text) == nil)
    }

    @Test(
        "sizes are written in three figures or so",
        arguments: [
            (0, "0 B", "0 Б"), (999, "999 B", "999 Б"), (1000, "1 kB", "1 кБ"), (1500, "1.5 kB", "1,5 кБ"),
            (12_345, "12.3 kB", "12,3 кБ"), (123_456, "123 kB", "123 кБ"), (999_499, "999 kB", "999 кБ"),
            (999_500, "1 MB", "1 МБ"), (1_500_000, "1.5 MB", "1,5 МБ"), (200_000_000, "200 MB", "200 МБ"),
            (2_340_000_000, "2.3 GB", "2,3 ГБ"), (Int64.max, "9223372 TB", "9223372 ТБ"),
        ] as [(Int64, String, String)])
    func writtenSizes(_ bytes: Int64, _ english: String, _ russian: String) {
        #expect(ByteCount.format(bytes) == english)
        #expect(ByteCount.format(bytes, .russian) == russian)
        // What a screen shows can be typed there again.
        #expect(ByteCount.parse(english) == ByteCount.parse(russian))
        #expect((ByteCount.parse(russian) != nil) == (bytes < .max))
    }

    @Test(
        "spans of time are read",
        arguments: [
            ("90", 90), ("90s", 90), ("15m", 900), ("15 min", 900), ("36h", 129_600), ("7d", 604_800),
            ("2w", 1_209_600),
            ("1.5h", 5400), ("", nil), ("d", nil), ("-1d", nil), ("7y", nil), ("1h30m", nil),
        ] as [(String, Double?)])
    func spans(_ text: String, _ expected: Double?) {
        #expect(TimeSpan.parse(text) == expected)
    }

    @Test(
        "spans are written in the greatest unit that fits",
        arguments: [
            (-5, "0 s", "0 с"), (59.9, "59 s", "59 с"), (60, "1 min", "1 мин"), (2700, "45 min", "45 мин"),
            (10_800, "3 h", "3 ч"), (172_800, "2 d", "2 дн."), (1_036_800, "12 d", "12 дн."),
        ] as [(Double, String, String)])
    func writtenSpans(_ seconds: Double, _ english: String, _ russian: String) {
        #expect(TimeSpan.format(seconds: seconds) == english)
        #expect(TimeSpan.format(seconds: seconds, .russian) == russian)
    }

    @Test("a span beyond all bounds is written too")
    func endlessSpan() {
        for seconds in [Double.infinity, 1e300] { #expect(TimeSpan.format(seconds: seconds).hasSuffix(" d")) }
        #expect(TimeSpan.format(seconds: .nan) == "0 s")
    }
}
