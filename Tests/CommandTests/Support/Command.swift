import Foundation

/// The binary under test, and the programs of the machine.
enum Command {
    /// The repository that these tests were compiled from.
    static let repository: String = {
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        while folder.path != "/", !Files.exists(folder.path + "/Package.swift") { folder.deleteLastPathComponent() }
        return folder.path
    }()

    /// `$QUIRE_BINARY`, else the one that was built beside the test bundle.
    static let binary: String = {
        if let named = ProcessInfo.processInfo.environment["QUIRE_BINARY"], !named.isEmpty { return named }
        let bundle = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/quire"
        return Files.exists(bundle) ? bundle : repository + "/.build/debug/quire"
    }()

    /// The text of a table that Swift and browsers share.
    static func vectors(_ name: String) throws -> String { try Files.text("\(repository)/Tests/Vectors/\(name).json") }

    static let samples = repository + "/sample-data/questionnaires"
    static let sampleAnswers = repository + "/sample-data/answers"

    /// A few hundred real questionnaires, where they lie beside the repository.
    static let realQuestionnaires: String? = {
        let folder = URL(filePath: repository).deletingLastPathComponent().path + "/shared/data/questionnaires"
        return Files.exists(folder) ? folder : nil
    }()

    /// What a child gets to know: nothing of the machine's own settings.
    static func environment(home: String, _ more: [String: String] = [:]) -> [String: String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return ["PATH": path, "HOME": home, "TMPDIR": home, "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"]
            .merging(more) { _, new in new }
    }

    static func isInstalled(_ program: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").contains {
            access("\($0)/\(program)", X_OK) == 0
        }
    }

    /// Runs a program of the machine; it must succeed.
    @discardableResult
    static func run(
        _ arguments: String..., in folder: String, environment: [String: String] = [:], input: String? = nil
    ) throws -> String {
        try run(arguments, in: folder, environment: environment, input: input)
    }

    static func run(
        _ arguments: [String], in folder: String, environment: [String: String] = [:], input: String? = nil
    ) throws -> String {
        let child = try ChildProcess(
            arguments, environment: Command.environment(home: folder, environment), folder: folder, input: input)
        let outcome = try child.end()
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        return outcome.output
    }
}

/// One device: a store, and the command used on it.
struct Device {
    let folder: String
    let store: String

    init(_ folder: String, name: String = "store") {
        self.folder = folder
        store = "\(folder)/\(name)"
    }

    /// Makes a store for a host and pulls everything.
    init(_ folder: String, name: String = "store", of host: HostProcess, pulls: Bool = true) throws {
        self.init(folder, name: name)
        try done("init", "--remote", host.address)
        if pulls { try done("pull") }
    }

    /// Runs `quire` and waits for its end.
    func quire(_ arguments: [String], environment: [String: String] = [:], input: String? = nil) throws -> Outcome {
        try begin(arguments, environment: environment, input: input).end()
    }

    func quire(_ arguments: String...) throws -> Outcome { try quire(arguments) }

    /// Starts `quire`.
    func begin(
        _ arguments: [String], environment: [String: String] = [:], input: String? = nil
    ) throws -> ChildProcess {
        let variables = ["QUIRE_STORE": store].merging(environment) { _, new in new }
        return try ChildProcess(
            [Command.binary] + arguments, environment: Command.environment(home: folder, variables), folder: folder,
            input: input)
    }

    /// Runs `quire`, which must succeed.
    @discardableResult
    func done(_ arguments: String...) throws -> Outcome {
        let outcome = try quire(arguments)
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        return outcome
    }

    /// What `quire … --json` prints; it must succeed.
    func json(_ arguments: String...) throws -> JSON {
        let outcome = try quire(arguments + ["--json"])
        guard outcome.exitCode == 0 else { throw Unexpected(outcome.description) }
        return try outcome.json()
    }

    /// Makes a test with answers; returns its id.
    func take(_ questionnaire: String, answers: String, isFinished: Bool = true) throws -> String {
        let arguments = ["take", questionnaire, "--answers", "-", "--json"] + (isFinished ? ["--finish"] : [])
        let outcome = try quire(arguments, input: answers)
        guard outcome.exitCode == 0, let id = try outcome.json()["id"].text else {
            throw Unexpected(outcome.description)
        }
        return id
    }

    // MARK: Its files

    /// The ids of the tests in a folder of the outbox.
    func tests(_ status: String) -> [String] {
        Files.names(in: "\(store)/outbox/\(status)", suffix: ".test.json").map {
            String($0.dropLast(".test.json".count))
        }
    }

    func testPath(_ id: String, _ status: String) -> String { "\(store)/outbox/\(status)/\(id).test.json" }
    func receiptPath(_ id: String, _ status: String) -> String { "\(store)/outbox/\(status)/\(id).receipt.json" }

    /// Where a test is delivered to.
    func deliveredStatus(_ id: String) -> String? {
        ["sent", "checking", "rated"].first { Files.exists(testPath(id, $0)) }
    }

    func entryPath(_ id: String) throws -> String {
        let names = Files.names(in: store + "/cache/entries", suffix: "+questionnaires+\(id).json")
        guard names.count == 1 else { throw Unexpected("\(names.count) entries of \(id)") }
        return "\(store)/cache/entries/\(names[0])"
    }

    func hasEntry(_ id: String) -> Bool { (try? entryPath(id)) != nil }

    func blobPath(_ id: String) throws -> String {
        guard let blob = try JSON(file: try entryPath(id))["blob"].text else { throw Unexpected("no blob of \(id)") }
        return "\(store)/cache/blobs/\(blob)"
    }

    func hasContent(_ id: String) -> Bool { (try? blobPath(id)).map(Files.exists) ?? false }

    var cachedIDs: [String] {
        get throws { try json("list").elements.compactMap { $0["id"].text }.sorted() }
    }
}
