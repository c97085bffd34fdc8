import ArgumentParser
import Disk
import Host
import Logging
import Model
import SystemPackage
import Terminal
import WireFormat

/// `quire host people`
struct HostPeople: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "people",
        abstract: "The people of a host: class lists, and cards with codes; the host can be running.",
        discussion: """
            A class list is a CSV file with the columns id, name, group (optional) and code (optional). Devices choose from \
            it who takes a test. A person's code proves who they are: it is a taker's key that belongs to them, printed on \
            a card, and kept as a digest.
            """,
        subcommands: [
            HostPeopleList.self, HostPeopleImport.self, HostPeopleRemove.self, HostPeopleCards.self,
            HostPeopleTypedNames.self,
        ],
        defaultSubcommand: HostPeopleList.self)

    /// A foreign text as a part of a line.
    static func onOneLine(_ text: String) -> String {
        terminalSafe(text).split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    static func line(_ person: Person) -> String { "\(onOneLine(person.fullName))\t\(onOneLine(person.id))" }

    /// Says that a first code makes the host ask everyone for a key.
    static func tellThatKeysAreAsked(before: Bool) {
        if before { return }
        HostFailure.tell(
            "this host has its first keys now, and asks everyone for one: give devices a key with "
                + "`quire host keys add --role taker`")
    }
}

/// `quire host people list`
struct HostPeopleList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the people of the host, and with --questionnaire who has handed it in.")

    @OptionGroup var folder: KeyFolder
    @Option(help: ArgumentHelp("Only this group.", valueName: "group")) var group: String?
    @Option(
        help: ArgumentHelp("Show where each person stands with this questionnaire.", valueName: "id"))
    var questionnaire: String?
    @Flag(help: "Print a JSON array.") var json = false

    private struct Item: Encodable {
        var id, name: String
        @Nullable var group: String?
        /// Whether they have a code that works.
        var code: Bool
    }

    private struct Standing: Encodable {
        var id, name: String
        @Nullable var group: String?
        var state: HandedIn.State
        /// Of their last test.
        @Nullable var test: TestID?
        @Nullable var attempt: Int?
        @Nullable var receivedAt: Timestamp?
        @Nullable var score: Double?
        @Nullable var maximum: Double?
        var late: Bool
        @Nullable var verified: Bool?
        /// How many tests the host has of them.
        var tests: Int
        /// Whether they are on the class list.
        var listed: Bool
        /// Of a test that was started and has not arrived.
        @Nullable var open: Open?

        struct Open: Encodable {
            var test: TestID
            var state: OpenTest.State
            @Nullable var hub: String?
            var since, heard: Timestamp
        }

        init(_ line: HandedIn.Line) {
            (id, name, state) = (line.person.id, line.person.name, line.state)
            (tests, listed, late) = (line.tests, line.isListed, line.last?.late ?? false)
            group = line.person.group
            test = line.last?.id
            attempt = line.last?.attempt
            receivedAt = line.last?.receivedAt
            score = line.last?.score
            maximum = line.last?.maximum
            verified = line.last?.verified
            open = line.open.map {
                Open(
                    test: $0.test.test, state: $0.test.state, hub: $0.test.hub, since: $0.since, heard: $0.heard)
            }
        }
    }

    func run() async throws {
        try await HostFailure.reported {
            if let questionnaire { try await listHandedIn(questionnaire) } else { try await listPeople() }
        }
    }

    private func listPeople() async throws {
        let (data, group) = (folder.data, group)
        let members = try await offload { try PeopleStore(keys: KeyFolder.open(data)).members(of: group) }
        if json {
            let items = members.map {
                Item(id: $0.person.id, name: $0.person.name, group: $0.person.group, code: $0.hasCode)
            }
            return try Output.json(items)
        }
        for member in members {
            let code = member.hasCode ? "" : "\t" + Output.language.text("no code")
            Output.line(HostPeople.line(member.person) + code)
        }
        if members.isEmpty { HostFailure.tell("no people yet: quire host people import FILE.csv --data \(data)") }
    }

    private func listHandedIn(_ questionnaire: String) async throws {
        let (data, configuration, group) = (folder.data, try folder.configuration, group)
        let handedIn = try await offload {
            let list = try PeopleStore(keys: KeyFolder.open(data)).list()
            let archive = try ReferenceHost.openArchive(
                configuration,
                logger: Logger(label: "quire.host") { StreamLogHandler.standardError(label: $0) })
            let tests = try archive.lists.list(.init(questionnaire: questionnaire)).tests
            let open = try archive.openTests(of: questionnaire, arrived: Set(tests.map(\.id)))
            return HandedIn(list, tests, open: open, group: group)
        }
        if json { return try Output.json(handedIn.lines.map(Standing.init)) }
        let language = Output.language
        for line in handedIn.lines {
            var parts = [Self.words(line.state)]
            if let attempt = line.last?.attempt { parts.append(language.text("attempt \(attempt)")) }
            if let time = line.last?.receivedAt { parts.append(time.inWords) }
            if let open = line.open { parts += Self.words(open, isState: line.last == nil) }
            if line.last?.late == true { parts.append(language.text("late")) }
            if line.last?.verified == false { parts.append(language.text("person not proven")) }
            if !line.isListed { parts.append(language.text("not on the class list")) }
            Output.line("\(HostPeople.line(line.person))\t\(parts.joined(separator: ", "))")
        }
        let (arrived, all) = (handedIn.lines.count { $0.state.hasArrived }, handedIn.lines.count)
        Output.line(language.text("Handed in: \(arrived) of \(all)"))
        if handedIn.withoutPerson > 0 {
            Output.line(language.text("Tests without a person: \(handedIn.withoutPerson)"))
        }
    }

    /// - Parameter isState: the state of the line says already that it is open.
    private static func words(_ open: HeardTest, isState: Bool) -> [String] {
        let language = Output.language
        let state: HandedIn.State = open.test.state == .waiting ? .waiting : .started
        return (isState ? [] : [words(state)]) + [open.test.hub].compactMap(\.self) + [
            language.text("since \(open.since.inWords)"), language.text("heard \(open.heard.inWords)"),
        ]
    }

    private static func words(_ state: HandedIn.State) -> String {
        let language = Output.language
        return switch state {
        case .notBegun: language.text("not handed in")
        case .started: language.text("is at it")
        case .waiting: language.text("waits at a hub")
        case .delivered: language.text("delivered")
        case .checking: language.text("being checked")
        case .rated: language.text("rated")
        }
    }
}

/// `quire host people remove ID`
struct HostPeopleRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a person from the class list and revoke their keys; their tests stay.")

    @OptionGroup var folder: KeyFolder
    @Argument(help: "The person's id, as `quire host people list` prints it.") var id: String

    func run() async throws {
        let (data, id) = (folder.data, id)
        try await HostFailure.reported {
            let person = try await offload { try PeopleStore(keys: KeyFolder.open(data)).remove(id) }
            HostFailure.tell("\(person.fullName) was removed, and their keys were revoked")
        }
    }
}

/// `quire host people import FILE`
struct HostPeopleImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import a class list from a CSV file.",
        discussion: """
            The first line names the columns, in English or Russian: id, name, group (optional), code (optional). The \
            separator is a comma, a semicolon or a tab, the encoding UTF-8, UTF-16 or Windows-1251. A file is the complete \
            list of its groups: people of these groups whom it does not name are removed, unless --keep. What would change \
            is printed first; a changed or removed person needs --yes or an answer at the terminal. A file with a faulty \
            line changes nothing.
            """)

    @OptionGroup var folder: KeyFolder
    @Argument(help: "The CSV file; - is standard input.") var file: String
    @Flag(help: "Print what would change, and change nothing.") var dryRun = false
    @Flag(help: "Change and remove people without asking.") var yes = false
    @Flag(help: "Keep people of the file's groups whom it does not name.") var keep = false
    @Flag(help: "Print JSON.") var json = false

    private struct Report: Encodable {
        struct Change: Encodable {
            var before, after: Person
        }

        var encoding: String
        var added: [Person]
        var changed: [Change]
        var removed: [Person]
        /// The ids of people who get the code of the file.
        var codes: [String]
        var unchanged: Int
        var repeatedLines: [Int]
        var ignoredColumns: [String]
        var applied: Bool
    }

    func run() async throws {
        let (data, configuration, keep) = (folder.data, try folder.configuration, keep)
        let bytes: [UInt8]
        do {
            bytes = try InputFile.read(file, maximumBytes: ClassListFile.maximumBytes)
        } catch let failure as Failure {
            HostFailure.tell(failure.message)
            throw ExitCode(failure.code)
        }
        try await HostFailure.reported {
            let list = try ClassListFile(bytes, named: file)
            let store = try await offload { PeopleStore(keys: try KeyFolder.make(data)) }
            let plan = try await offload { try store.plan(list, keepsMissing: keep) }
            if !json { tell(list, plan) }
            let applies = try !dryRun && (plan.isEmpty || consents(to: plan))
            if applies {
                let asked = try await offload { try KeyStore.asksForKeys(configuration) }
                try await offload { try store.apply(plan) }
                if !plan.newCodes.isEmpty { HostPeople.tellThatKeysAreAsked(before: asked) }
            }
            if json { try print(list, plan, applied: applies) }
            if !applies, !dryRun { throw ExitCode(Exit.usage) }
        }
    }

    /// - Returns: whether the person at the terminal agrees, or `--yes` was given.
    private func consents(to plan: ClassListPlan) throws -> Bool {
        if yes || !plan.needsConsent { return true }
        if Output.isInteractive, file != "-", !json {
            Output.write(Output.language.text("Import it? (y/N) "), to: 2)
            let answer = readLine()?.lowercased() ?? ""
            if [Output.language.text("y"), Output.language.text("yes"), "y", "yes"].contains(answer) { return true }
            HostFailure.tell("nothing was imported")
            return false
        }
        HostFailure.tell(
            "nothing was imported: \(plan.changed.count + plan.replacedCodes.count) people would change and "
                + "\(plan.removed.count) would be removed; look at them with --dry-run, and import with --yes, or with --keep to remove no one"
        )
        return false
    }

    private func tell(_ list: ClassListFile, _ plan: ClassListPlan) {
        let language = Output.language
        for person in plan.added { Output.line("+ " + HostPeople.line(person)) }
        for change in plan.changed {
            Output.line("~ \(HostPeople.line(change.before)) → \(HostPeople.onOneLine(change.after.fullName))")
        }
        for person in plan.removed { Output.line("- " + HostPeople.line(person)) }
        for person in plan.replacedCodes {
            Output.line("~ \(HostPeople.line(person)): " + language.text("another code; the former one stops working"))
        }
        for line in list.repeatedLines { Output.line(language.text("line \(line) repeats an earlier one")) }
        if !list.ignoredColumns.isEmpty {
            let names = list.ignoredColumns.map(HostPeople.onOneLine).joined(separator: ", ")
            Output.line(language.text("columns that are not read: \(names)"))
        }
        Output.line(
            language.text(
                "\(list.encoding): added \(plan.added.count), changed \(plan.changed.count), removed \(plan.removed.count), unchanged \(plan.unchanged), codes \(plan.newCodes.count)"
            ))
    }

    private func print(_ list: ClassListFile, _ plan: ClassListPlan, applied: Bool) throws {
        try Output.json(
            Report(
                encoding: list.encoding, added: plan.added,
                changed: plan.changed.map { Report.Change(before: $0.before, after: $0.after) }, removed: plan.removed,
                codes: plan.newCodes.map(\.person.id), unchanged: plan.unchanged, repeatedLines: list.repeatedLines,
                ignoredColumns: list.ignoredColumns, applied: applied))
    }
}
