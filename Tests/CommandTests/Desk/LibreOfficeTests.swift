import Foundation
import Testing

/// The exported CSV in a real spreadsheet, there and back.
@Suite(
    "Results in LibreOffice", .serialized,
    .enabled(
        if: LibreOffice.isInstalled,
        "LibreOffice is not installed: apt-get install --no-install-recommends libreoffice-calc"
    ))
struct LibreOfficeTests {
    private static let form = """
        {"id": "form", "title": "Анкета", "questions": [
         {"id": "word", "text": "Слово?", "kind": "text"}, {"id": "part", "text": "Число?", "kind": "number"}]}
        """

    /// Texts that people write and a spreadsheet may misread.
    private static let words = [
        "Привет, «мир» ёё", "say \"hi\"; \"\"", "two\nlines\nthree", "007", "+7 495 000", "=1+1", "-5", "@SUM(A1)",
        "3.5",
        "3,5", "1/2", "26.11.2026", "12:30", "1e5", "TRUE", "12345678901234567890", " spaces ", "'tis", "''=1", "10 %",
        "\u{1F600} 漢字 عربي", "a;b,c d",
    ]
    private static let numbers = ["0.5", "-5", "1000000", "0.1", "1e-3", "12.25"]

    private let folder: TemporaryFolder
    private let host: HostProcess

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path)
        try Files.write(Self.form, to: host.questionnaires + "/form.json")
    }

    @Test(
        "CSV becomes a table of XLSX and ODS, and CSV again, without loss: with commas, and with semicolons and decimal commas"
    )
    func thereAndBack() throws {
        try host.start()
        let device = try Device(folder.path, of: host)
        for (place, word) in Self.words.enumerated() {
            try device.done("person", "set", "Имя \(place), «О’Хара»", "--id", "0\(place)", "--group", "7б")
            let answer = JSONEncoder()
            let text = String(decoding: try answer.encode(word), as: UTF8.self)
            _ = try device.take(
                "form", answers: "{\"word\": \(text), \"part\": \(Self.numbers[place % Self.numbers.count])}")
        }
        try device.done("sync")
        for (separator, code, language) in [("comma", 44, 1033), ("semicolon", 59, 1049)] {
            let name = "results-\(separator)"
            let csv = try device.quire([
                "host", "results", "form", "--csv", "--separator", separator, "--data", host.data, "--questionnaires",
                host.questionnaires,
            ])
            #expect(csv.exitCode == 0, "\(csv)")
            try Files.write(csv.output, to: "\(folder.path)/\(name).csv")
            let before = LibreOffice.rows(csv.output, code == 44 ? "," : ";")
            try #require(before.count == Self.words.count + 1)
            for format in ["xlsx", "ods"] {
                let after = try LibreOffice.thereAndBack(
                    "\(folder.path)/\(name).csv", format: format, separator: code, language: language)
                try #require(after.count == before.count, "\(format)")
                for (row, (old, new)) in zip(before, after).enumerated() {
                    try #require(old.count == new.count, "\(format), row \(row): \(new)")
                    for (column, (left, right)) in zip(old, new).enumerated() {
                        let place = "\(separator), \(format), row \(row), \(before[0][column].text)"
                        if row > 0, ["attempt", "part"].contains(before[0][column].text) {
                            #expect(!right.isQuoted, "\(place) is no number: \(right.text)")
                            #expect(Self.number(left.text) == Self.number(right.text), "\(place): \(right.text)")
                        } else {
                            #expect(left.text == right.text, "\(place)")
                            #expect(right.isQuoted || right.text.isEmpty, "\(place) is no text: \(right.text)")
                        }
                    }
                }
            }
        }
    }

    private static func number(_ text: String) -> Double? { Double(text.replacing(",", with: ".")) }
}
