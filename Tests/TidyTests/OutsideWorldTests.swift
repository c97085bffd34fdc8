import Testing

/// Something of the operating system that only some rooms may touch.
private enum Outside: CaseIterable {
    case clock, fileManager, systemLibrary, foundation
}

/// Where a rule does not hold, and why. This is the only list of exceptions.
private let exceptions: [(path: String, allows: Set<Outside>, because: String)] = [
    ("Sources/Disk/", [.clock, .fileManager, .systemLibrary], "the room that touches the operating system"),
    ("Sources/Terminal/", [.systemLibrary], "termios, signals and the window's size"),
    ("Sources/Remotes/", [.systemLibrary], "sockets and the check for a route"),
    ("Sources/Networking/", [.systemLibrary], "what NIO does not show of a socket"),
    ("Sources/QuireCLI/Process/", [.systemLibrary], "standard streams, the editor and the working folder"),
    ("Sources/QuireSim/", [.systemLibrary], "the exit code and the number of cores"),
]

func outsideWorld(in file: SourceFile) -> [Finding] {
    if file.isGenerated { return [] }
    let allowed = exceptions.filter { file.path.hasPrefix($0.path) }.reduce(into: Set()) { $0.formUnion($1.allows) }
    return file.findings { line in
        Outside.allCases.filter { !allowed.contains($0) }.compactMap { breach(of: $0, in: line) }
    }
}

private func breach(of rule: Outside, in line: String) -> String? {
    let module = importedModule(line)
    switch rule {
    case .clock:
        let readings = ["Date()", "Date.now", "Date.init()", "Date(timeIntervalSinceNow"]
        return readings.first(where: line.hasWord).map { "\($0) reads the clock: take the time from a StoreClock" }
    case .fileManager:
        return line.hasWord("FileManager") ? "FileManager is not for stores: go through Disk's FileSystem" : nil
    case .systemLibrary:
        guard let module, ["Glibc", "Darwin", "Musl", "Android"].contains(module) else { return nil }
        return "only Disk calls the system: add what is missing to Disk instead of importing \(module)"
    case .foundation:
        guard let module, module.hasPrefix("Foundation"), module != "FoundationEssentials" else { return nil }
        return "\(module) doubles the start-up time: import FoundationEssentials, or do without"
    }
}

@Suite("The outside world")
struct OutsideWorldTests {
    @Test("only Disk reads the clock and calls the system, and no module imports all of Foundation")
    func tree() { expectNone(Repository.sources.flatMap(outsideWorld)) }

    @Test(
        "a way around the seams is found",
        arguments: [
            "let now = Date()",
            "let now: Date = .init(), then = Date.now",
            "let names = try FileManager.default.contentsOfDirectory(atPath: path)",
            "import Glibc",
            "@preconcurrency import Darwin",
            "import func Musl.open",
            "import Foundation",
            "public import FoundationNetworking",
            "import struct Foundation.Date",
        ])
    func broken(_ line: String) {
        let findings = outsideWorld(in: SourceFile(path: "Sources/Sync/Example.swift", text: "\n\(line)\n"))
        #expect(findings.map(\.line) == [2])
    }

    @Test("each exception allows what it names and no more")
    func allowed() {
        func count(_ path: String, _ line: String) -> Int { outsideWorld(in: SourceFile(path: path, text: line)).count }
        #expect(count("Sources/Disk/Example.swift", "import Glibc") == 0)
        #expect(count("Sources/Disk/Example.swift", "import Foundation") == 1)
        #expect(count("Sources/Terminal/Example.swift", "import Glibc") == 0)
        #expect(count("Sources/Terminal/Example.swift", "let a = Date()") == 1)
        #expect(count("Sources/QuireCLI/Example.swift", "import Glibc") == 1)
        #expect(count("Sources/Remotes/Example.swift", "import Glibc") == 0)
        #expect(count("Sources/Sync/Example.swift", "import FoundationEssentials // not Foundation, no Date()") == 0)
        #expect(count("Sources/Sync/Example.swift", "let a = HTTPDate(); let b = \"FileManager\"") == 0)
        #expect(count("Sources/Sync/example.pb.swift", "import Foundation") == 0)
    }
}
