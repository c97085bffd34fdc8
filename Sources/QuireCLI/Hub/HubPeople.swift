import ArgumentParser
import Disk
import Hub
import Model
import Quire

/// `quire hub people`
struct HubPeople: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "people",
        abstract: "Show who has handed in what, as far as the hub knows; the hub can be running.",
        discussion: """
            By the hub's copy of the class list and the tests that came through it, without the network: not started, waiting at \
            the hub, not accepted, delivered, being checked, rated. Tests that went past the hub are unknown to it: the \
            host's own list is “quire host people --questionnaire ID”.
            """)

    @OptionGroup var folder: HubFolder
    @Option(help: ArgumentHelp("Only this questionnaire.", valueName: "id")) var questionnaire: String?
    @Option(help: ArgumentHelp("Only this group.", valueName: "group")) var group: String?
    @Flag(help: "Print a JSON array.") var json = false

    private struct Item: Encodable {
        var questionnaire, id, name: String
        @Nullable var group: String?
        var state: HubStandings.State
        /// Their last test.
        @Nullable var test: TestID?
        /// How many tests of theirs came to the hub.
        var tests: Int
        /// Whether they are on the class list.
        var listed: Bool
    }

    func run() async throws {
        let (path, questionnaire, group) = (folder.path, questionnaire, group)
        let standings = try await offload {
            try HubStandings.read(try QuireStore.open(at: path), only: questionnaire, group: group)
        }
        if json { return try Output.json(standings.questionnaires.flatMap(Self.items)) }
        let language = Output.language
        if standings.questionnaires.isEmpty { Output.line(language.text("No test has come to this hub yet.")) }
        for questionnaire in standings.questionnaires {
            if self.questionnaire == nil {
                Output.line(HostPeople.onOneLine("\(questionnaire.title) (\(questionnaire.id))"))
            }
            for line in questionnaire.lines {
                var parts = [line.state.words(language)]
                if !line.isListed { parts.append(language.text("not on the class list")) }
                Output.line("\(HostPeople.line(line.person))\t\(parts.joined(separator: ", "))")
            }
            let (notBegun, all) = (questionnaire.count(.notBegun), questionnaire.lines.count)
            Output.line(language.text("Handed in: \(all - notBegun) of \(all)"))
            if questionnaire.withoutPerson > 0 {
                Output.line(language.text("Tests without a person: \(questionnaire.withoutPerson)"))
            }
        }
    }

    private static func items(_ questionnaire: HubStandings.Questionnaire) -> [Item] {
        questionnaire.lines.map {
            Item(
                questionnaire: questionnaire.id, id: $0.person.id, name: $0.person.name, group: $0.person.group,
                state: $0.state, test: $0.test, tests: $0.tests, listed: $0.isListed)
        }
    }
}
