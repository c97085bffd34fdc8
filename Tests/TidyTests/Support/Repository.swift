import Foundation

/// One Swift file, with its path from the root of the repository.
struct SourceFile {
    let path: String
    let text: String
    let source: SourceText

    init(path: String, text: String) {
        self.path = path
        self.text = text
        source = SourceText(text)
    }

    var name: String { String(path.split(separator: "/").last ?? "") }

    /// The room it lives in: the folder below `Sources`.
    var room: String {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : ""
    }

    /// Written by a program: the rules about style are not for it.
    var isGenerated: Bool { name.hasSuffix(".pb.swift") }

    /// A finding for every line of code that breaks a rule. `check` returns the advice, once for each breach.
    func findings(_ check: (String) -> [String]) -> [Finding] {
        source.code.enumerated().flatMap { index, line in
            check(line).map { Finding(path: path, line: index + 1, advice: $0) }
        }
    }
}

/// A text file of any kind.
struct TextFile {
    let path: String
    let text: String

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
}

/// The repository that these tests were compiled from.
enum Repository {
    /// The folder of Package.swift, found upwards from this file.
    static let root: URL = {
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
        {
            folder = folder.deletingLastPathComponent()
        }
        return folder
    }()

    static let sources: [SourceFile] = swiftFiles(below: "Sources/")
    static let tests: [SourceFile] = swiftFiles(below: "Tests/")
    static let examples: [SourceFile] = swiftFiles(below: "Examples/")

    /// Every text file that the repository holds, hidden ones too, except what git and the build make.
    static let textFiles: [TextFile] = paths.compactMap { path in
        guard let data = try? Data(contentsOf: root.appending(path: path)), !data.prefix(8192).contains(0) else {
            return nil
        }
        return String(data: data, encoding: .utf8).map { TextFile(path: path, text: $0) }
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    private static func swiftFiles(below folder: String) -> [SourceFile] {
        textFiles.filter { $0.path.hasPrefix(folder) && $0.path.hasSuffix(".swift") }
            .map { SourceFile(path: $0.path, text: $0.text) }
    }

    private static let skipped: Set<String> = [
        ".git", ".swiftpm", ".index-build", ".idea", ".vscode", "DerivedData", "demo-store",
    ]

    private static let paths: [String] = {
        var paths: [String] = []
        var folders = [""]
        while let folder = folders.popLast() {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)) ?? []
            for name in names where !skipped.contains(name) && !name.hasPrefix(".build") {
                let path = folder.isEmpty ? name : "\(folder)/\(name)"
                let attributes = try? FileManager.default.attributesOfItem(atPath: root.appending(path: path).path)
                switch attributes?[.type] as? FileAttributeType {
                case .typeDirectory: folders.append(path)
                case .typeRegular: paths.append(path)
                default: break
                }
            }
        }
        return paths.sorted()
    }()
}

extension String {
    /// Whether the text has one of these parts, compared byte by byte.
    func contains(anyOf parts: [String]) -> Bool { withCString { text in parts.contains { strstr(text, $0) != nil } } }

    /// Whether the text has this word, not as a part of a longer one.
    func hasWord(_ word: String) -> Bool {
        guard contains(anyOf: [word]) else { return false }
        var rest = self[...]
        while let range = rest.firstRange(of: word) {
            let before = range.lowerBound == startIndex ? nil : self[index(before: range.lowerBound)]
            let after = range.upperBound == endIndex ? nil : self[range.upperBound]
            let endsOpen = word.last?.isPartOfIdentifier == true && after?.isPartOfIdentifier == true
            if before?.isPartOfIdentifier != true, !endsOpen { return true }
            rest = rest[range.upperBound...]
        }
        return false
    }
}

extension Character {
    var isPartOfIdentifier: Bool { isLetter || isNumber || self == "_" }
}
