import Disk
import Foundation
import Model
import SystemPackage
import Testing

@testable import Snapshots

@Suite("Snapshots of a folder")
final class FolderSnapshotTests {
    private static let excluded = FolderSnapshot.Exclusions(
        names: ["lock", "tmp"], lock: "lock", temporary: "tmp", referring: ["receipts", "tests"])
    private static let files = [
        "register.json": "1", "receipts/a.json": "checking", "tests/a.json": "answers", "media/m": "photo",
        "questionnaires/q.json": "old",
    ]

    private let folder = FilePath("/var/tmp").appending("quire-snapshots-\(UUID().uuidString)")

    init() throws {
        for (path, text) in Self.files { try write(text, "data/" + path) }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder.string) }

    private func url(_ path: String) -> URL { URL(filePath: folder.string + "/" + path) }

    private func write(_ text: String, _ path: String) throws {
        try FileManager.default.createDirectory(
            at: url(path).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url(path))
    }

    private func remove(_ path: String) throws { try FileManager.default.removeItem(at: url(path)) }

    /// The files below a folder with their content, and when they were modified.
    private func content(_ name: String) throws -> [String: String] {
        var found: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: url(name).path) {
            let attributes = try FileManager.default.attributesOfItem(atPath: url(name).path + "/" + path)
            guard attributes[.type] as? FileAttributeType == .typeRegular, path != "lock" else { continue }
            let modified = attributes[.modificationDate] as? Date ?? .distantPast
            found[path] =
                "\(try String(contentsOf: url(name + "/" + path), encoding: .utf8)) \(Int(modified.timeIntervalSince1970))"
        }
        return found
    }

    @discardableResult
    private func save(_ name: String, since: String? = nil) throws -> StoreSnapshot.SaveReport {
        try FolderSnapshot.save(
            folder.appending("data"), excluding: Self.excluded, to: folder.appending(name),
            since: since.map { folder.appending($0) })
    }

    @discardableResult
    private func restore(_ snapshot: String, to name: String = "new") throws -> FolderSnapshot.RestoreReport {
        try FolderSnapshot.restore(folder.appending(snapshot), excluding: Self.excluded, to: folder.appending(name))
    }

    /// A first snapshot, then a rating, an edited and a deleted questionnaire and a new test, and a second snapshot.
    private func saveBoth() throws {
        try write("gone", "data/questionnaires/gone.json")
        try save("base.quire")
        try write("rated", "data/receipts/a.json")
        try write("new", "data/questionnaires/q.json")
        try write("2", "data/register.json")
        try write("answers", "data/tests/b.json")
        try remove("data/questionnaires/gone.json")
        try save("next.quire", since: "base.quire")
    }

    @Test("a complete snapshot and one that continues it give the folder back, with the times of its files")
    func continued() throws {
        for path in Self.files.keys {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: url("data/" + path).path)
        }
        try saveBoth()
        try restore("base.quire")
        let report = try restore("next.quire")
        #expect(report.summary.isIntact && report.absent.isEmpty && report.different.isEmpty)
        #expect(report.replaced.sorted() == ["questionnaires/q.json", "receipts/a.json", "register.json"])
        #expect(report.removed == ["questionnaires/gone.json"] && report.restored == ["tests/b.json"])
        #expect(try content("new") == content("data"))
        let again = try restore("next.quire")
        #expect(again.replaced.isEmpty && again.removed.isEmpty && again.known == 4)
        #expect(try content("new") == content("data"))
    }

    @Test("one that continues another is refused where there is no data, and no folder is made")
    func alone() throws {
        try saveBoth()
        #expect(throws: SnapshotFault.self) { try restore("next.quire") }
        #expect(!FileManager.default.fileExists(atPath: url("new").path))
        try FileManager.default.createDirectory(at: url("new/tmp"), withIntermediateDirectories: true)
        #expect(throws: SnapshotFault.self) { try restore("next.quire") }
    }

    @Test("files that were changed here stay, and unchanged ones that are missing are named")
    func changedHere() throws {
        try saveBoth()
        try restore("base.quire")
        try write("rated here", "new/receipts/a.json")
        try write("edited here", "new/questionnaires/gone.json")
        try remove("new/media/m")
        let report = try restore("next.quire")
        #expect(report.different == ["receipts/a.json"] && report.removed.isEmpty)
        #expect(report.absent == ["media/m"])
        #expect(try content("new")["receipts/a.json"]?.hasPrefix("rated here ") == true)
        #expect(try content("new")["questionnaires/gone.json"]?.hasPrefix("edited here ") == true)
    }

    @Test("a damaged one that continues another removes nothing")
    func damaged() throws {
        try saveBoth()
        try restore("base.quire")
        let bytes = try Data(contentsOf: url("next.quire"))
        try bytes.dropLast(100).write(to: url("next.quire"))
        #expect(try !restore("next.quire").summary.isIntact)
        #expect(try content("new")["questionnaires/gone.json"] != nil)
    }

    @Test(
        "what is saved is restored; links and files that are too deep are named, hidden and temporary ones are not there"
    )
    func leftOut() throws {
        try write("deep", "data/1/2/3/4/5/6/7/file")
        try write("too deep", "data/1/2/3/4/5/6/7/8/file")
        try write("half", "data/questionnaires/.q.json.swp")
        try write("half", "data/questionnaires/t1f.tmp")
        try FileManager.default.createSymbolicLink(
            atPath: url("data/questionnaires/link.json").path, withDestinationPath: "q.json")
        let report = try save("s.quire")
        #expect(report.leftOut.count == 2, "\(report.leftOut)")
        #expect(report.leftOut.contains { $0.hasPrefix("questionnaires/link.json") })
        let restored = try restore("s.quire")
        #expect(restored.unknown.isEmpty && restored.summary.isIntact)
        #expect(Set(try content("new").keys) == Set(Self.files.keys).union(["1/2/3/4/5/6/7/file"]))
    }

    @Test("files that refer to others are listed before them")
    func order() throws {
        var listing = try FolderListing(of: try POSIXFileSystem(root: folder.appending("data")), Self.excluded)
        #expect(listing.own == ["register.json"] && listing.paths.isEmpty)
        // After its own files were read.
        try write("{}", "data/media/later")
        try listing.listFolders()
        #expect(
            listing.paths
                == ["receipts/a.json", "tests/a.json", "media/later", "media/m", "questionnaires/q.json"])
    }

    @Test("a path that leads elsewhere is not restored")
    func hostilePath() {
        for path in ["../x", "/etc/passwd", "a/../../x", "a/.hidden", "lock", "tmp/x", "a//b", "", "a/", "a/b.tmp"] {
            #expect(Self.excluded.path(path) == nil, "\(path)")
        }
    }
}
