import Testing

/// Which module may import which. A module that is not named here may not be built on.
private let arrows: [String: Set<String>] = {
    let belowSync: Set = ["Model", "WireFormat", "HTTPCaching", "Disk", "CacheStore", "OutboxStore"]
    let belowQuire = belowSync.union(["Sync"])
    let belowWeb = belowQuire.union(["Quire"])
    return [
        "Localization": ["CTexts"],
        "Model": ["CFolding", "Localization"],
        "Wording": ["Localization", "Model"],
        "RichText": ["Model", "CMarkGFM"],
        "Printing": ["Model", "RichText", "Results", "Wording"],
        "WireFormat": ["Model"],
        "TextSearch": ["CStemmer", "Model"],
        "Results": ["Model", "TextSearch"],
        "HTTPCaching": ["Model"],
        "Disk": ["Model", "CDeflate", "CZlib", "CLinux"],
        "ObjectStores": ["Disk", "Model"],
        "StrictXML": ["Model", "CExpat"],
        "S3": ["ObjectStores", "StrictXML", "HTTPCaching", "Disk", "Model", "Networking"],
        "CacheStore": ["Disk", "HTTPCaching", "Model", "RichText", "TextSearch"],
        "OutboxStore": ["Disk", "Model"],
        "Sync": belowSync,
        "Networking": ["Model"],
        "Remotes": ["Sync", "ObjectStores", "S3", "Disk", "Model", "Networking", "WireFormat"],
        "Quire": belowQuire.union(["AuthorDrafts"]),
        "QuireWording": belowWeb.union(["Localization", "Wording"]).subtracting(["HTTPCaching", "WireFormat"]),
        "HTTPServing": ["Disk", "Localization", "Model", "RichText", "WireFormat", "Wording"],
        "QRCode": [], "Templates": [],
        "AuthorDrafts": ["Disk", "Model"],
        "Authoring": [
            "AuthorDrafts", "Model", "RichText", "Results", "Disk", "HTTPServing", "Templates", "Wording",
        ],
        "Host": [
            "AuthorDrafts", "Model", "RichText", "Results", "WireFormat", "HTTPCaching", "Disk", "ObjectStores",
            "HTTPServing",
            "Networking", "QRCode",
        ],
        "Desk": [
            "Authoring", "AuthorDrafts", "Model", "RichText", "Printing", "Results", "Disk", "HTTPServing", "Templates",
            "WireFormat",
            "Host", "Wording",
        ],
        "HTTPMessages": [],
        "Hub": belowWeb.union(["HTTPMessages", "Networking", "QRCode", "RichText", "Wording"]),
        "Web": belowWeb.union([
            "Authoring", "AuthorDrafts", "HTTPServing", "Networking", "QuireWording", "RichText", "Printing",
            "Templates",
            "Wording",
        ]),
        "Snapshots": ["Model", "Disk", "CacheStore", "OutboxStore", "Quire"],
        "Terminal": ["Model", "RichText", "Wording"],
        "QuireCLI": belowWeb.union([
            "CBuild", "ObjectStores", "S3", "Remotes", "QRCode", "Results", "Host", "Desk", "Hub", "Snapshots", "Web",
            "Terminal", "Printing", "QuireWording", "Wording",
        ]),
        "InMemory": ["Model", "WireFormat", "HTTPCaching", "Disk", "ObjectStores", "Sync"],
        "QuireTesting": belowWeb.union(["InMemory"]),
        "Simulation": ["Model", "Disk", "InMemory"],
        "Trials": belowWeb.union(["AuthorDrafts", "ObjectStores", "Host", "Simulation", "Snapshots"]),
        "LoadSimulation": ["Model", "Disk", "Hub", "Simulation", "Sync", "WireFormat"],
        "QuireSim": ["LoadSimulation", "Trials"],
        // C: the system's zlib, libdeflate, CommonMark, Expat and stemmers, Linux calls, the Unicode table, the catalogs of texts, the commit.
        "CBuild": [], "CDeflate": [],
        "CExpat": [], "CMarkGFM": [], "CStemmer": [], "CZlib": [], "CLinux": [], "CFolding": [],
        "CTexts": [],
    ]
}()

/// The module that a line of code imports: `import struct Model.Digest` gives `Model`.
func importedModule(_ code: String) -> String? {
    var words = code.split { $0 == " " || $0 == "\t" }[...]
    guard let first = words.first, code.hasWord("import") else { return nil }
    let levels: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
    guard first == "import" || first.hasPrefix("@") || levels.contains(first) else { return nil }
    words = words.drop { $0 != "import" }.dropFirst()
    let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
    if let kind = words.first, kinds.contains(kind) { words = words.dropFirst() }
    return words.first?.split { !$0.isPartOfIdentifier }.first.map { String($0) }
}

func brokenArrows(in file: SourceFile) -> [Finding] {
    guard let allowed = arrows[file.room] else {
        return [
            Finding(
                path: file.path, line: 1,
                advice: "the module \(file.room) has no arrows: name it in ArrowTests.swift and docs/architecture.md")
        ]
    }
    return file.findings { line in
        guard let module = importedModule(line), arrows[module] != nil, module != file.room else { return [] }
        guard !allowed.contains(module) else { return [] }
        return ["\(file.room) may not import \(module): move the code to a module that may, or hand the thing in"]
    }
}

/// What a program outside of this package imports of it: the modules of the products.
private let modulesOfProducts: Set = ["Quire", "QuireWording", "Remotes", "QuireTesting"]

func privateImports(in file: SourceFile) -> [Finding] {
    file.findings { line in
        guard let module = importedModule(line), arrows[module] != nil, !modulesOfProducts.contains(module) else {
            return []
        }
        return ["an example may import \(modulesOfProducts.sorted().joined(separator: ", ")), not \(module)"]
    }
}

@Suite("The arrows between the modules")
struct ArrowTests {
    @Test("every module imports only modules below it")
    func tree() { expectNone(Repository.sources.flatMap(brokenArrows)) }

    @Test(
        "an arrow that points up is found",
        arguments: [
            ("Model", "import Disk"),
            ("CacheStore", "import OutboxStore"),
            ("OutboxStore", "import CacheStore"),
            ("Remotes", "import OutboxStore"),
            ("Sync", "public import Remotes"),
            ("Host", "import Web"),
            ("Web", "import Host"),
            ("Host", "import Remotes"),
            ("Quire", "@testable import struct Remotes.FolderRemote"),
            ("QuireCLI", "import Simulation"),
            ("QuireCLI", "import Trials"),
            ("QuireCLI", "import InMemory"),
            ("CacheStore", "import CZlib"),
        ])
    func broken(_ room: String, _ line: String) {
        let file = SourceFile(path: "Sources/\(room)/Example.swift", text: "import FoundationEssentials\n\(line)\n")
        let findings = brokenArrows(in: file)
        #expect(findings.map(\.line) == [2])
        #expect(findings.first?.description.hasPrefix("Sources/\(room)/Example.swift:2: \(room) may not") == true)
    }

    @Test("an arrow that points down is fine, and so is a word in a comment or a library from elsewhere")
    func allowed() {
        let text = "import Model\nimport NIOCore\n// import Remotes\nlet important = \"import Remotes\"\n"
        #expect(brokenArrows(in: SourceFile(path: "Sources/Sync/Example.swift", text: text)).isEmpty)
    }

    @Test("an example imports products and nothing else of the package")
    func examples() {
        expectNone(Repository.examples.flatMap(privateImports))
        let text = "import Quire\nimport Testing\nimport Model\n@testable import InMemory\n"
        let file = SourceFile(path: "Examples/Kiosk/Sources/Kiosk/Example.swift", text: text)
        #expect(privateImports(in: file).map(\.line) == [3, 4])
    }

    @Test("a new module has to be named")
    func unknown() {
        #expect(brokenArrows(in: SourceFile(path: "Sources/Attic/Example.swift", text: "")).count == 1)
    }
}
