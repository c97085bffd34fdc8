import Foundation
import Testing

@Suite("Class lists on the command line")
struct HostPeopleTests {
    private static let names = [
        "\u{0410}\u{043D}\u{043D}\u{0430} \u{0401}\u{043B}\u{043A}\u{0438}\u{043D}\u{0430}",
        "\u{0645}\u{062D}\u{0645}\u{062F} \u{0639}\u{0644}\u{064A}", "\u{738B}\u{82B3}", "Grace \"Amazing\" Hopper",
    ]

    private func classList(_ count: Int = 30) -> String {
        let rows = (1...count).map { number in
            let name = Self.names[number % Self.names.count].replacing("\"", with: "\"\"")
            return "s-\(number);\"\(name) \(number)\";7b"
        }
        return "\u{FEFF}id;name;group\r\n" + rows.joined(separator: "\r\n") + "\r\n"
    }

    @Test("a class of 30 in four scripts is imported and listed, and changed or removed people need --yes")
    func importing() throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        let (data, file) = (folder.path + "/data", folder.path + "/class.csv")
        func people(_ arguments: String...) throws -> Outcome {
            try device.quire(["host", "people"] + arguments + ["--data", data])
        }
        try Files.write(classList(), to: file)
        let dry = try people("import", file, "--dry-run", "--json")
        #expect(
            try dry.exitCode == 0 && dry.json()["applied"].bool == false && dry.json()["added"].elements.count == 30)
        #expect(try people("import", file).exitCode == 0)
        let listed = try people("list", "--json").json()
        #expect(listed.elements.count == 30)
        let names = Set(listed.elements.compactMap { $0["name"].text })
        for number in 1...30 { #expect(names.contains("\(Self.names[number % Self.names.count]) \(number)")) }
        // The same again changes nothing.
        #expect(try people("import", file, "--json").json()["unchanged"].number == 30)
        try Files.write("id,name,group\ns-1,New Name,7b\n", to: file)
        let refused = try people("import", file)
        #expect(refused.exitCode == 64 && refused.isOneSentence && refused.errors.contains("--yes"), "\(refused)")
        #expect(refused.output.contains("- ") && refused.output.contains("New Name"))
        #expect(try people("list", "--json").json().elements.count == 30)
        #expect(try people("import", file, "--keep", "--yes").exitCode == 0)
        #expect(try people("list", "--json").json().elements.count == 30)
        #expect(try people("import", file, "--yes").exitCode == 0)
        #expect(try people("--json").json().elements.map { $0["name"].text } == ["New Name"])
        try Files.write("id,name\nx,\n", to: file)
        let faulty = try people("import", file)
        #expect(faulty.exitCode == 65 && faulty.isOneSentence && faulty.errors.contains("line 2"), "\(faulty)")
        #expect(try people("remove", "s-99").exitCode == 65)
        #expect(try people("remove", "s-1").exitCode == 0)
        #expect(try people("list", "--json").json().elements.isEmpty)
        #expect(try people("list", "--json", "--group", "x").exitCode == 0)
        #expect(try people("cards").exitCode == 65)
    }

    @Test("each person gets a card with a code that opens the host, and no file of the host has a code")
    func cards() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "q", title: "Q"))
        try host.start()
        let device = try Device(folder.path, of: host, pulls: false)
        let file = folder.path + "/class.csv"
        try Files.write(classList(), to: file)
        try device.done("host", "people", "import", file, "--data", host.data)
        let page = folder.path + "/cards.html"
        let made = try device.done("host", "people", "cards", "--data", host.data, "-o", page)
        #expect(made.errors.contains("30 new codes") && made.errors.contains("asks everyone"))
        let html = try String(decoding: Files.read(page), as: UTF8.self)
        let codes = html.matches(of: /<p class="code">([0-9A-Z-]+)<\/p>/).map { String($0.1) }
        #expect(Set(codes).count == 30)
        #expect(html.contains("Grace &quot;Amazing&quot; Hopper") && !html.contains("http"))
        #expect(try FileManager.default.attributesOfItem(atPath: page)[.posixPermissions] as? Int == 0o600)
        #expect(try device.quire("pull").exitCode != 0)
        #expect(try device.quire(["pull"], environment: ["QUIRE_TOKEN": codes[29].lowercased()]).exitCode == 0)
        for path in Files.regularFiles(below: host.data) {
            let data = try Files.read(path)
            for code in codes {
                #expect(
                    data.range(of: Data(code.utf8)) == nil
                        && data.range(of: Data(code.replacing("-", with: "").utf8)) == nil)
            }
        }
        let again = try device.done("host", "people", "cards", "--data", host.data)
        #expect(again.errors.contains("30 of 30") && again.output.isEmpty)
        let kept = try device.quire("host", "people", "cards", "--new-codes", "--data", host.data, "-o", page)
        #expect(kept.exitCode == 74 && kept.errors.contains("there already"), "\(kept)")
        #expect(try device.quire(["pull"], environment: ["QUIRE_TOKEN": codes[0]]).exitCode == 0)
        try device.done("host", "people", "cards", "--new-codes", "--data", host.data)
        #expect(try device.quire(["pull"], environment: ["QUIRE_TOKEN": codes[0]]).exitCode != 0)
    }

    /// Windows-1251, of the letters that are in these names.
    private static func windows1251(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { scalar in
            switch scalar.value {
            case 0x410...0x44F: UInt8(scalar.value - 0x410 + 0xC0)
            case 0x401: 0xA8
            case 0x451: 0xB8
            default: UInt8(scalar.value)
            }
        }
    }

    @Test(
        "a class of 30 in four scripts comes from one CSV, its Cyrillic part also as Windows-1251; a reader reads every card",
        .enabled(if: Command.isInstalled("zbarimg"), "zbarimg (zbar-tools) is not installed"))
    func reader() throws {
        let folder = try TemporaryFolder()
        let device = Device(folder.path)
        let (data, file) = (folder.path + "/data", folder.path + "/class.csv")
        try Files.write(classList(), to: file)
        #expect(try Files.read(file).starts(with: [0xEF, 0xBB, 0xBF]), "with a byte order mark")
        #expect(
            try device.json("host", "people", "import", file, "--data", data)["added"].elements.count == 30)
        // The same people in the encoding of an older spreadsheet are the same people.
        let cyrillic = classList().drop { $0 == "\u{FEFF}" }.split(separator: "\r\n").filter {
            $0.hasPrefix("id;") || $0.contains(Self.names[0])
        }
        let old = folder.path + "/old.csv"
        try Data(Self.windows1251(cyrillic.joined(separator: "\r\n"))).write(to: URL(filePath: old))
        let again = try device.json("host", "people", "import", old, "--keep", "--data", data)
        #expect(again["unchanged"].whole == cyrillic.count - 1 && cyrillic.count > 7, "\(again)")
        for kind in ["added", "changed", "removed"] { #expect(again[kind].elements.isEmpty) }

        let html = try device.done("host", "people", "cards", "--data", data).output
        let cards = html.matches(
            of: /<h2 dir="auto">([^<]+)<\/h2>.*?<p class="code">([0-9A-Z-]+)<\/p>/.dotMatchesNewlines())
        let names = cards.map { String($0.1).replacing("&quot;", with: "\"") }
        #expect(Set(names) == Set((1...30).map { "\(Self.names[$0 % Self.names.count]) \($0)" }))
        let codes = cards.map { String($0.2).replacing("-", with: "") }
        let symbols = html.matches(of: /viewBox="0 0 (\d+) .*?<path d="([^"]+)"\/>/.dotMatchesNewlines())
        #expect(Set(codes).count == 30 && symbols.count == 30)
        var pictures: [String] = []
        for (number, symbol) in symbols.enumerated() {
            pictures.append("\(folder.path)/card-\(number).pgm")
            try picture(symbol.2, side: try #require(Int(symbol.1))).write(to: URL(filePath: pictures[number]))
        }
        let read = try Command.run(
            ["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable"] + pictures, in: folder.path)
        #expect(read.split(separator: "\n").map(String.init) == codes)
    }

    /// The squares of a symbol's path as a grey picture.
    private func picture(_ path: Substring, side: Int) -> Data {
        var rows = Array(repeating: Array(repeating: UInt8(255), count: side), count: side)
        for run in path.matches(of: /M(\d+) (\d+)h(\d+)/) {
            let (x, y, length) = (Int(run.1) ?? 0, Int(run.2) ?? 0, Int(run.3) ?? 0)
            for column in x..<x + length { rows[y][column] = 0 }
        }
        var image = Data("P5\n\(side * 4) \(side * 4)\n255\n".utf8)
        for row in rows {
            let line = row.flatMap { Array(repeating: $0, count: 4) }
            for _ in 0..<4 { image.append(contentsOf: line) }
        }
        return image
    }
}
