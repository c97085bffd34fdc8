import Disk
import SystemPackage
import Testing

@Suite("Parts of a path are those of FilePath")
struct PathPartsTests {
    /// All paths of up to four pieces of these, with what normalises and what does not.
    static let paths: [FilePath] = {
        var texts = [""]
        for _ in 0..<4 {
            texts += texts.flatMap { text in ["/", "a", "folder", "..", ".", "пол.json"].map { text + $0 } }
            texts = Array(Set(texts))
        }
        return Set(texts.map { FilePath($0) }).sorted { $0.string < $1.string }
    }()

    @Test("a path's folder and name are what FilePath takes apart")
    func apart() {
        #expect(Self.paths.count > 300)
        for path in Self.paths {
            #expect(path.folder == path.removingLastComponent(), "\(path)")
            #expect(path.name == path.lastComponent?.string, "\(path)")
        }
    }

    @Test("a name goes to the end of a path as FilePath puts it there")
    func together() {
        for path in Self.paths {
            for name in ["", "a", "..", "a/b", "/a", "a/", "имя"] {
                #expect(path.appending(name: name) == path.appending(name), "\(path) and \(name)")
            }
        }
    }

    @Test("a path is placed in a folder as FilePath pushes it, and an absolute one stays")
    func placed() {
        let folders = Self.paths.filter { $0.length < 5 }
        for folder in folders {
            for path in folders { #expect(path.placed(in: folder) == folder.pushing(path), "\(path) in \(folder)") }
        }
    }

    @Test("what is within a folder is what FilePath says starts with it")
    func within() {
        let folders = Self.paths.filter { $0.length < 4 }
        for path in folders {
            for folder in folders {
                #expect(path.isWithin(folder) == path.starts(with: folder), "\(path) in \(folder)")
            }
        }
    }

    @Test("bytes that are no UTF-8 stay as they are")
    func bytes() {
        let path = [0x61, 0x2F, -1, 0x2F, 0x62, 0].map { CChar($0) }.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
        }
        #expect(path.folder == path.removingLastComponent())
        #expect(path.folder.name == path.removingLastComponent().lastComponent?.string)
        #expect(path.folder.appending(name: "c") == path.removingLastComponent().appending("c"))
    }
}
