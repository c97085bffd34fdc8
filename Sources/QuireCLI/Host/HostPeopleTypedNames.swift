import ArgumentParser
import Disk
import Host

/// `quire host people typed-names allow|forbid`
struct HostPeopleTypedNames: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "typed-names", abstract: "Allow or forbid names that are not on the class list.",
        discussion: """
            Forbidden, terminal, page and app begin tests for people of the list alone, and for people whom a code proves. \
            Devices learn it with the class list. A test that arrives from a device without the list is accepted all the \
            same, since answers that were given must arrive; its person is “not on the class list”.
            """)

    enum Rule: String, ExpressibleByArgument, CaseIterable {
        case allow, forbid
    }

    @OptionGroup var folder: KeyFolder
    @Argument(help: "allow or forbid.") var rule: Rule

    func run() async throws {
        let (data, rule) = (folder.data, rule)
        try await HostFailure.reported {
            try await offload { try PeopleStore(keys: KeyFolder.make(data)).setTypedNames(rule == .allow) }
            HostFailure.tell(
                rule == .allow
                    ? "names that are not on the class list may be typed on devices"
                    : "only people of the class list take tests on devices, from their next pull on")
        }
    }
}
