import Foundation
import Model
import SystemPackage
import Testing

@testable import Disk

private let unzip = Program.find("unzip", in: "/usr/bin:/bin")

@Suite("ZIP archives")
struct ZipTests {
    private func archive(_ files: [(name: String, bytes: [UInt8])]) -> [UInt8] {
        var archive = ZipArchive()
        var all: [UInt8] = []
        let time = Timestamp("2026-11-25T14:30:10Z") ?? .epoch
        for file in files {
            var checksum = ZipArchive.Checksum()
            checksum.add(Array(file.bytes.prefix(7)))
            checksum.add(Array(file.bytes.dropFirst(7)))
            all += archive.begin(
                ZipArchive.Entry(name: file.name, sizeBytes: Int64(file.bytes.count), modified: time),
                checksum: checksum.value)
            all += file.bytes
        }
        return all + archive.end()
    }

    @Test(
        "unzip reads names in any script and every byte back",
        .enabled(if: unzip != nil, "unzip is not installed here"))
    func readBack() throws {
        let files: [(name: String, bytes: [UInt8])] = [
            ("7б/Ада Лавлейс, попытка 1/2 фото ёлки.jpg", (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }),
            ("7б/Ада Лавлейс, попытка 1/3 пусто.txt", []), ("王芳/1.txt", Array("да".utf8)),
        ]
        let folder = FilePath(NSTemporaryDirectory()).appending("quire-zip-\(TestID.random())")
        try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder.string) }
        let bytes = archive(files)
        try Data(bytes).write(to: URL(fileURLWithPath: folder.appending("a.zip").string))
        #expect(
            Int64(bytes.count)
                == ZipArchive.sizeBytes(
                    of: files.map { .init(name: $0.name, sizeBytes: Int64($0.bytes.count), modified: .epoch) }))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(unzip).string)
        process.arguments = ["-q", folder.appending("a.zip").string, "-d", folder.appending("out").string]
        process.environment = ["LC_ALL": "C.UTF-8"]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        for file in files {
            let read = try Data(contentsOf: URL(fileURLWithPath: folder.appending("out").string + "/" + file.name))
            #expect(Array(read) == file.bytes, "\(file.name)")
        }
    }

    @Test("sizes and places beyond 4 GiB are written as ZIP64, shorter ones are not")
    func long() {
        let size = Int64(5) << 30
        let entries = [size, 3].map { ZipArchive.Entry(name: "a", sizeBytes: $0, modified: .epoch) }
        var archive = ZipArchive()
        let first = archive.begin(entries[0], checksum: 1)
        #expect(first.count == 30 + 1 + 20 && Array(first[18..<26]) == Array(repeating: 0xFF, count: 8))
        #expect(archive.begin(entries[1], checksum: 1).count == 31)
        let end = archive.end()
        // Two entries with extra fields, the long end with its locator, and the end.
        #expect(end.count == (46 + 1 + 4 + 16) + (46 + 1 + 4 + 8) + 56 + 20 + 22)
        #expect(ZipArchive.sizeBytes(of: entries) == size + 3 + 51 + 31 + Int64(end.count))
    }

    @Test("names of people and files make paths that are safe everywhere, each once")
    func names() {
        var names = ZipNames()
        #expect(names.path(["7б", "Ада", "1 фото.jpg"]) == "7б/Ада/1 фото.jpg")
        #expect(names.path(["7б", "Ада", "1 ФОТО.jpg"]) == "7б/Ада/1 ФОТО (2).jpg")
        #expect(names.path(["../..", "C:\\x", "a\u{0}b\u{202E}.exe"]) == "_/C__x/a_b_.exe")
        #expect(names.path([String(repeating: "ё", count: 300), " . "]).utf8.count <= 182)
        #expect(names.path(["con/..", "/etc/passwd"]).split(separator: "/").count == 2)
    }
}
