import Foundation
import QRCode
import Testing

/// A reader of QR codes that is not ours: zbar, or OpenCV.
private enum Reader: CaseIterable {
    case zbar, openCV

    static let installed = allCases.first { $0.isInstalled }

    private var check: [String] {
        switch self {
        case .zbar: ["zbarimg", "--version"]
        case .openCV: ["python3", "-c", "import cv2"]
        }
    }

    private var isInstalled: Bool { (try? Self.run(check))?.status == 0 }

    func read(_ image: String) throws -> String {
        let script = "import cv2,sys; print(cv2.QRCodeDetector().detectAndDecode(cv2.imread(sys.argv[1]))[0])"
        let command =
            switch self {
            case .zbar: ["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", image]
            case .openCV: ["python3", "-c", script, image]
            }
        let text = try Self.run(command).output
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    private static func run(_ command: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}

/// The symbol as a portable grey map, with its quiet zone.
private func image(of symbol: QRSymbol) -> Data {
    let (scale, zone) = (4, QRSymbol.quietZone)
    let side = (symbol.size + 2 * zone) * scale
    var data = Data("P5\n\(side) \(side)\n255\n".utf8)
    for y in 0..<side {
        for x in 0..<side { data.append(symbol.isDark(x / scale - zone, y / scale - zone) ? 0 : 255) }
    }
    return data
}

@Suite("QR codes")
struct QRSymbolTests {
    /// The bytes that each version of level M holds in byte mode (ISO/IEC 18004, table 7).
    static let capacities = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213]

    @Test(
        "each version holds as many bytes as the standard says, and no text is longer than the largest",
        arguments: 1...10)
    func capacity(_ version: Int) throws {
        let capacity = Self.capacities[version - 1]
        #expect(try #require(QRSymbol(Array(repeating: 65, count: capacity))).size == 17 + 4 * version)
        let next = QRSymbol(Array(repeating: 65, count: capacity + 1))
        #expect(next?.size == (version < 10 ? 21 + 4 * version : nil))
        #expect(QRSymbol.mostBytes == 213)
    }

    @Test(
        "an independent reader reads back every version, short and full",
        .enabled(
            if: Reader.installed != nil, "neither zbarimg (zbar-tools) nor OpenCV's module for Python is installed"),
        arguments: 1...10)
    func readBack(_ version: Int) throws {
        let reader = try #require(Reader.installed)
        let folder = FileManager.default.temporaryDirectory.appending(path: "quire-qr-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let alphabet = Array("23456789ABCDEFGHJKMNPQRTVWXY-/:.?=abcxyz")
        let fewest = version > 1 ? Self.capacities[version - 2] + 1 : 1
        for count in [fewest, Self.capacities[version - 1]] {
            let text = String((0..<count).map { alphabet[($0 * 7 + version) % alphabet.count] })
            let file = folder.appending(path: "\(count).pgm")
            try image(of: try #require(QRSymbol(Array(text.utf8)))).write(to: file)
            #expect(try reader.read(file.path) == text)
        }
    }

    @Test("a terminal shows the same modules, two rows in a line, black on white")
    func terminal() throws {
        let symbol = try #require(QRSymbol(Array("https://school.example/desk/".utf8)))
        let zone = QRSymbol.quietZone
        let lines = symbol.terminalLines
        #expect(lines.count == (symbol.size + 2 * zone + 1) / 2)
        for (place, line) in lines.enumerated() {
            #expect(line.hasPrefix("\u{1B}[30;107m") && line.hasSuffix("\u{1B}[0m"))
            let blocks = Array(line.dropFirst(9).dropLast(4))
            #expect(blocks.count == symbol.size + 2 * zone)
            for (column, block) in blocks.enumerated() {
                let row = 2 * place - zone
                #expect(symbol.isDark(column - zone, row) == (block == "█" || block == "▀"))
                #expect(symbol.isDark(column - zone, row + 1) == (block == "█" || block == "▄"))
            }
        }
    }
}
