import Foundation
import Testing

/// The exported CSV in a real spreadsheet, there and back.
@Suite(
    "Results in LibreOffice", .serialized,
    .enabled(
        if: Command.isInstalled("soffice"),
        "LibreOffice is not installed: make interchange, or apt-get install libreoffice-calc-nogui"))
struct LibreOfficeTests {
    private static let form = """
        {"id": "form", "title": "Анкета", "questions": [
         {"id": "word", "text": "Слово?", "kind": "text"}, {"id": "part", "text": "Число?", "kind": "number"}]}
        """

    /// What people write, and a spreadsheet may misread.
    private static let words = [
        "Привет, «мир» ёё", "say \"hi\"; \"\"", "two\nlines\nthree", "007", "+7 495 000", "=1+1", "-5", "@SUM(A1)",
        "3.5",
        "3,5", "1/2", "26.11.2026", "12:30", "1e5", "TRUE", "12345678901234567890", " spaces ", "'tis", "''=1", "10 %",
        "\u{1F600} 漢字 عربي", "a;b,c\td",
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
            let before = Self.rows(csv.output, code == 44 ? "," : ";")
            try #require(before.count == Self.words.count + 1)
            for format in ["xlsx", "ods"] {
                // Separator, quote, UTF-8, from row 1; the language of the numbers; quoted fields are texts.
                try convert(
                    "\(name).csv", to: format, ["--infilter=CSV:\(code),34,76,1,,\(language),true,false"])
                // Texts in quotes: what has none is a number.
                try convert(
                    "\(name).\(format)", to: "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,false,false",
                    ["--outdir", "\(folder.path)/\(format)"])
                let after = Self.rows(try Files.text("\(folder.path)/\(format)/\(name).csv"), ",")
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

    private func convert(_ file: String, to format: String, _ options: [String]) throws {
        let outputs = options.contains("--outdir") ? [] : ["--outdir", folder.path]
        let run = try ChildProcess(
            ["/usr/bin/env", "soffice", "-env:UserInstallation=file://\(folder.path)/profile", "--headless"] + options
                + outputs + ["--convert-to", format, "\(folder.path)/\(file)"],
            environment: Command.environment(home: folder.path, [:]), folder: folder.path
        ).end()
        #expect(run.exitCode == 0 && run.output.contains("->"), "\(run)")
    }

    private static func number(_ text: String) -> Double? { Double(text.replacing(",", with: ".")) }

    private struct Field {
        var text = ""
        var isQuoted = false
    }

    /// Reads CSV (RFC 4180).
    private static func rows(_ csv: String, _ separator: Unicode.Scalar) -> [[Field]] {
        var rows: [[Field]] = [[Field()]]
        var isInside = false
        var scalars = Array(csv.unicodeScalars)[...]
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        func add(_ scalar: Unicode.Scalar) {
            rows[rows.count - 1][rows[rows.count - 1].count - 1].text.unicodeScalars.append(scalar)
        }
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\"" where isInside && scalars.first == "\"":
                add(scalar)
                scalars.removeFirst()
            case "\"":
                isInside.toggle()
                rows[rows.count - 1][rows[rows.count - 1].count - 1].isQuoted = true
            case separator where !isInside: rows[rows.count - 1].append(Field())
            case "\r" where !isInside: break
            case "\n" where !isInside: rows.append([Field()])
            default: add(scalar)
            }
        }
        if rows.last?.count == 1, rows.last?[0].text.isEmpty == true { rows.removeLast() }
        return rows
    }
}
