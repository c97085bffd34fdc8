import Foundation
import FuzzTargets
import Testing

/// One file of `Fuzz/corpus`.
struct CorpusFile: CustomTestStringConvertible, Sendable {
    let target: FuzzTarget
    let path: String

    var testDescription: String { path.split(separator: "/").suffix(2).joined(separator: "/") }

    private static let folder: String = {
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.path + "/Package.swift") {
            folder.deleteLastPathComponent()
        }
        return folder.path + "/Fuzz/corpus"
    }()

    static func all(of target: FuzzTarget) -> [CorpusFile] {
        let folder = "\(folder)/\(target.rawValue)"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { CorpusFile(target: target, path: "\(folder)/\($0)") }
    }
}

/// `make fuzz` looks for more of these; what it finds is kept beside them.
@Suite("Bytes from elsewhere")
struct CorpusTests {
    @Test("every file of the corpus is read without a broken promise", arguments: FuzzTarget.allCases)
    func corpus(_ target: FuzzTarget) throws {
        let files = CorpusFile.all(of: target)
        #expect(files.count >= 3, "Fuzz/corpus/\(target.rawValue) has too few files to begin with")
        for file in files {
            let bytes = Array(try Data(contentsOf: URL(filePath: file.path)))
            #expect(throws: Never.self, "\(file.testDescription)") { try target.run(bytes) }
        }
    }

    @Test("every file of the corpus, cut short or with a byte changed, is read without a broken promise")
    func damaged() throws {
        for target in FuzzTarget.allCases {
            for file in CorpusFile.all(of: target) {
                let bytes = Array(try Data(contentsOf: URL(filePath: file.path)).prefix(2048))
                // Some sixty places of each file, whatever its length.
                for place in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 20)) {
                    try target.run(Array(bytes[..<place]))
                    for value in [UInt8(0x00), 0xFF, bytes[place] ^ 0x20] {
                        var changed = bytes
                        changed[place] = value
                        try target.run(changed)
                    }
                }
            }
        }
    }
}
