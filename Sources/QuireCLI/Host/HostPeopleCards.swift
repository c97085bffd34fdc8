import ArgumentParser
import Disk
import Host
import Model
import SystemPackage
import WireFormat

/// `quire host people cards`
struct HostPeopleCards: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cards", abstract: "Make a printable page of cards with name, code and QR code.",
        discussion: """
            People without a code get one, and the page has their cards. The host keeps digests of codes only, so a code \
            that was made before cannot be printed again: --new-codes makes another one for everyone, and the former ones stop \
            working.
            """)

    @OptionGroup var folder: KeyFolder
    @Option(help: ArgumentHelp("Only this group.", valueName: "group")) var group: String?
    @Flag(help: "Make new codes for people who have one, too.") var newCodes = false
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The page's file, which must not exist; without it, standard output.", valueName: "file"))
    var output: String?

    func run() async throws {
        let (data, configuration) = (folder.data, try folder.configuration)
        let (group, newCodes) = (group, newCodes)
        try await HostFailure.reported {
            let store = try await offload { PeopleStore(keys: try KeyFolder.open(data)) }
            let members = try await offload { try store.members(of: group) }
            guard !members.isEmpty else { throw HostError.noPeople(group: group) }
            let cards = members.filter { newCodes || !$0.hasCode }
                .map { CardsPage.Card(person: $0.person, code: .make()) }
            let known = members.count - cards.count
            if known > 0 {
                HostFailure.tell(
                    "\(known) of \(members.count) people have a code already, which cannot be shown again: "
                        + "their cards are not on the page; --new-codes makes new ones")
            }
            if cards.isEmpty { return }
            // Before the keys: a page that cannot be written makes no code that no one knows.
            let page = Array(CardsPage(cards: cards, language: Output.language).html.utf8)
            if let output { try write(page, output) }
            let asked = try await offload { try KeyStore.asksForKeys(configuration) }
            try await offload { try store.setCodes(cards.map { ($0.person, $0.code) }) }
            if output == nil { Output.write(page) }
            HostFailure.tell("\(cards.count) new codes were made; they are shown on this page only")
            HostPeople.tellThatKeysAreAsked(before: asked)
        }
    }

    /// Makes the file, for its owner alone.
    private func write(_ page: [UInt8], _ output: String) throws {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(
                FilePath(output), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: [.ownerRead, .ownerWrite])
        } catch let error as Errno {
            let advice = error == .fileExists ? "it is there already; move it away, or name another file" : "\(error)"
            HostFailure.tell("\(output) cannot be made, and no code was: \(advice)")
            throw HostFailure.inputOutput
        }
        do {
            try descriptor.closeAfter { _ = try descriptor.writeAll(page) }
        } catch let error as Errno {
            HostFailure.tell("\(output) cannot be written, and no code was made: \(error)")
            throw HostFailure.inputOutput
        }
    }
}
