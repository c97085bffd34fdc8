import Foundation

/// A spreadsheet program that is not ours.
enum LibreOffice {
    static var isInstalled: Bool { Command.isInstalled("soffice") }

    struct Field {
        var text = ""
        /// A number is not.
        var isQuoted = false
    }

    /// Opens a CSV file, saves it in a form of spreadsheets, and opens and exports that again; its rows then.
    ///
    /// - Parameters:
    ///   - format: `xlsx` or `ods`.
    ///   - separator: of the file, as a code point.
    ///   - language: of its numbers: 1033 is English, 1049 Russian.
    static func thereAndBack(
        _ path: String, format: String, separator: Int = 44, language: Int = 1033
    ) throws -> [[Field]] {
        let file = URL(filePath: path)
        let folder = file.deletingLastPathComponent().path
        let name = file.deletingPathExtension().lastPathComponent
        // Separator, quote, UTF-8, from row 1; the language of the numbers; quoted fields are texts, and nothing else is guessed.
        try convert(
            path, to: format, into: folder, ["--infilter=CSV:\(separator),34,76,1,,\(language),true,false"])
        // Texts in quotes: what has none is a number.
        try convert(
            "\(folder)/\(name).\(format)", to: "csv:Text - txt - csv (StarCalc):44,34,76,1,,1033,true,true,false",
            into: "\(folder)/\(format)")
        return rows(try Files.text("\(folder)/\(format)/\(name).csv"), ",")
    }

    /// With a profile of its own: another one that runs would take the work over.
    private static func convert(_ path: String, to format: String, into folder: String, _ options: [String] = []) throws
    {
        let home = URL(filePath: path).deletingLastPathComponent().path
        let run = try ChildProcess(
            ["soffice", "-env:UserInstallation=file://\(home)/profile", "--headless"] + options
                + ["--convert-to", format, "--outdir", folder, path],
            environment: Command.environment(home: home), folder: home
        ).end()
        guard run.exitCode == 0, run.output.contains("->") else { throw Unexpected(run.description) }
    }

    /// Reads CSV (RFC 4180).
    static func rows(_ csv: String, _ separator: Unicode.Scalar) -> [[Field]] {
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
