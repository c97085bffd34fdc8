import Testing

/// Paths of the machine that the repository lies on. Taken apart, or this file would break its own rule.
private let machinePaths = ["/" + "work/"]

/// A folder beside the repository: tests may use what lies there where it exists.
private let besideTheRepository = ".." + "/shared"

func machinePaths(in file: TextFile) -> [Finding] {
    let forbidden = machinePaths + (file.path.hasPrefix("Tests/") ? [] : [besideTheRepository])
    return file.lines.enumerated().flatMap { index, line in
        forbidden.filter(line.contains).map {
            Finding(
                path: file.path, line: index + 1, advice: "\"\($0)\" means nothing on another machine: leave it out")
        }
    }
}

@Suite("Paths of one machine")
struct MachinePathTests {
    @Test("no file of the repository names one")
    func tree() { expectNone(Repository.textFiles.flatMap(machinePaths)) }

    @Test("one is found, whatever the file")
    func broken() {
        let absolute = "\ncd " + "/" + "work/main\n"
        let relative = "\nls .." + "/shared/data\n"
        #expect(machinePaths(in: TextFile(path: ".ci/run", text: absolute)).map(\.line) == [2])
        #expect(machinePaths(in: TextFile(path: "Tests/ModelTests/Example.swift", text: absolute)).map(\.line) == [2])
        #expect(machinePaths(in: TextFile(path: "README.md", text: relative)).map(\.line) == [2])
    }

    @Test("a test may look beside the repository")
    func allowed() {
        let relative = "ls .." + "/shared/data\n"
        #expect(machinePaths(in: TextFile(path: "Tests/ModelTests/Example.swift", text: relative)).isEmpty)
        #expect(machinePaths(in: TextFile(path: "README.md", text: "it works, at work, in /workshop\n")).isEmpty)
    }
}
