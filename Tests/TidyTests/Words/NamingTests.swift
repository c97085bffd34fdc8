import Testing

/// Words that say nothing about what a type does.
private let emptyWords: Set = [
    "Manager", "Managers", "Helper", "Helpers", "Util", "Utils", "Utility", "Utilities", "Impl",
]

func emptyNames(in file: SourceFile) -> [Finding] {
    let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    let stem = file.name.split(separator: ".").first ?? ""
    let inFileName = words(of: stem).filter(emptyWords.contains).map {
        Finding(path: file.path, line: 1, advice: "\"\($0)\" in a file's name says nothing: name what lives in it")
    }
    return inFileName
        + file.findings { line in
            let tokens = line.split { !$0.isPartOfIdentifier }
            return zip(tokens, tokens.dropFirst()).filter { kinds.contains($0.0) }.flatMap { _, name in
                words(of: name).filter(emptyWords.contains).map {
                    "\"\($0)\" in \(name) says nothing: name the type after what it does"
                }
            }
        }
}

/// The words of a name in camel case.
private func words(of name: Substring) -> [String] {
    var words: [String] = []
    for character in name {
        if character.isUppercase || character == "+" || words.isEmpty { words.append("") }
        if character != "+" { words[words.count - 1].append(character) }
    }
    return words
}

/// A type that has the name of its module makes the module's other names unreachable from outside.
func namesakes(in file: SourceFile) -> [Finding] {
    let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol"]
    return file.findings { line in
        let tokens = line.split { !$0.isPartOfIdentifier }
        return zip(tokens, tokens.dropFirst()).filter { kinds.contains($0.0) && $0.1 == file.room }.map {
            "a type may not have the name of its module, \($0.1): call it what it is"
        }
    }
}

func unfinished(in file: SourceFile) -> [Finding] {
    file.source.comments.enumerated().flatMap { index, comment in
        ["TODO", "FIXME"].filter(comment.hasWord).map {
            Finding(path: file.path, line: index + 1, advice: "\($0) stays forever: do it now")
        }
    }
}

@Suite("Names and loose ends")
struct NamingTests {
    @Test("no type and no file has an empty name")
    func treeOfNames() { expectNone((Repository.sources + Repository.examples).flatMap(emptyNames)) }

    @Test("no type has the name of its module")
    func treeOfNamesakes() { expectNone(Repository.sources.flatMap(namesakes)) }

    @Test("nothing is left to be done later")
    func treeOfLooseEnds() {
        expectNone((Repository.sources + Repository.tests + Repository.examples).flatMap(unfinished))
    }

    @Test(
        "an empty name is found",
        arguments: [
            "public final class CacheManager {",
            "struct DateHelper {}",
            "enum StringUtils {",
            "actor SyncImpl: Sync {",
            "protocol UtilProviding {",
            "private typealias Manager = Int",
        ])
    func brokenName(_ line: String) {
        #expect(emptyNames(in: example("\n\(line)\n")).map(\.line) == [2])
    }

    @Test("an empty name of a file is found", arguments: ["CacheHelpers.swift", "String+Util.swift"])
    func brokenFileName(_ name: String) {
        #expect(emptyNames(in: SourceFile(path: "Sources/Model/\(name)", text: "")).map(\.line) == [1])
    }

    @Test(
        "a name that only resembles one is fine",
        arguments: [
            "struct Implicit {}", "class func helper() {}", "let a = UtilService.self", "// struct CacheManager",
            "enum Utile {}",
        ])
    func allowedName(_ line: String) { #expect(emptyNames(in: example(line)).isEmpty) }

    @Test("a namesake of the module is found")
    func brokenNamesake() {
        #expect(namesakes(in: example("public enum Model {\n")).map(\.line) == [1])
        #expect(namesakes(in: example("public enum Models {}\nlet a: Model? = nil\n")).isEmpty)
    }

    @Test("a loose end is found in a comment, and only there")
    func brokenEnd() {
        #expect(unfinished(in: example("let a = 1 // TODO: b\n/* c\n FIXME */\n")).map(\.line) == [1, 3])
        #expect(unfinished(in: example("let a = \"TODO\" // a list of todos\n")).isEmpty)
    }

    private func example(_ text: String) -> SourceFile { SourceFile(path: "Sources/Model/Example.swift", text: text) }
}
