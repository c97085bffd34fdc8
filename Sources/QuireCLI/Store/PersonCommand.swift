import ArgumentParser
import Model
import OutboxStore
import Quire
import Terminal

/// `quire person`: the people who share this device.
struct PersonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "person", abstract: "The people who share this device: whose test the next one is.",
        discussion: """
            A test names the person who was the current one when it was started. As soon as there are people, drafts, \
            waiting tests and results of the others are not shown; they are sent all the same. They \
            are plain files in the store's people/.
            """,
        subcommands: [
            PersonSet.self, PersonList.self, PersonUse.self, PersonLogin.self, PersonPIN.self, PersonClear.self,
            PersonClaim.self,
        ])

    static func report(_ person: Person, _ options: StoreOptions, json: Bool) throws {
        if json { return Output.write(try DocumentCoding.encodeLine(person.reference)) }
        options.say("Current person: \(person.fullName)")
    }
}

private struct PersonSet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Make a person the current one, adding them where they are new.",
        discussion: """
            Without --id, it is the person of this name, or a new one with an id of their own. With the --id of a person \
            who is there, they get this name; tests keep the name that they were started with.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Argument(help: "The name.") var name: String
    @Option(help: "The id, such as a number on a class list.") var id: String?
    @Option(help: "The class or group; an empty one removes it.") var group: String?

    func run() throws {
        let store = try options.openStore()
        let person = try PersonPIN.asking { pin in
            try store.people.set(name: name, id: id, group: group, pin: pin)
        }
        try PersonCommand.report(person, options, json: format.json)
    }
}

private struct PersonList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the people of this device and of the tests on it.",
        discussion: "With --class, the class list that the last pull fetched; a text finds names, groups and ids.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Flag(name: .customLong("class"), help: "List the class list in place of the people of this device.")
    var ofClass = false
    @Argument(help: "Only people whose name, group or id has these words.") var text: String?

    private struct Line: Encodable {
        var id: String
        var name: String
        @Nullable var group: String?
        /// Whether they use the device now.
        var current: Bool
        /// Whether they have a PIN on this device.
        var pin: Bool
    }

    func run() throws {
        let store = try options.openStore()
        let current = try store.people.state().current
        let list = ClassList(
            url: "", people: ofClass ? try store.people.classList.current()?.people ?? [] : try store.people.known())
        let people = list.matches(text ?? "")
        let withPIN = try store.people.pins.holders(among: people)
        if format.json {
            return try Output.json(
                people.map {
                    Line(
                        id: $0.id, name: $0.name, group: $0.group, current: $0.id == current?.id,
                        pin: withPIN.contains($0.id))
                })
        }
        for person in people {
            let mark = person.id == current?.id ? "*" : " "
            Output.line("\(mark) \(person.fullName)\t\(person.id)" + (withPIN.contains(person.id) ? "\tPIN" : ""))
        }
        guard people.isEmpty, text == nil else { return }
        if ofClass {
            options.say("No class list: the next pull fetches it where the server has one.")
        } else {
            options.say("No one yet: quire person set NAME")
        }
    }
}

private struct PersonUse: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use", abstract: "Switch to a person who is known here, or is on the class list.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Argument(help: "The person's id, its first characters, or the name.") var person: String

    func run() throws {
        let store = try options.openStore()
        let person = try PersonPIN.asking { try store.people.use(named: self.person, pin: $0) }
        try PersonCommand.report(person, options, json: format.json)
    }
}

private struct PersonLogin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Prove who you are with the code of your card, and become the current person.",
        discussion: """
            The server is asked whose code it is. It is kept in the store's keys/, for the store's owner alone; your tests \
            are sent with it, and the server notes that they are yours. Without CODE it is read from standard input.
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Argument(help: "The code, with or without hyphens.") var code: String?

    func run() async throws {
        try await Session.run(options) { session in
            if code == nil, Output.isInteractive { Output.write(Output.language.text("Code: "), to: 2) }
            let text = code ?? readLine() ?? ""
            _ = try session.requireRemote()
            let person = try await session.store.people.logIn(text) { try session.remote(showing: $0) }
            try PersonCommand.report(person, options, json: format.json)
        }
    }
}

private struct PersonClear: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Leave the device to the next person: no one is the current one.",
        discussion: "Nothing is removed. The next test asks who takes it.")

    @OptionGroup var options: StoreOptions

    func run() throws {
        try options.openStore().people.use(nil)
        options.say("No one is the current person.")
    }
}

private struct PersonClaim: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "claim", abstract: "Make a draft without a person the current person's.",
        discussion: "A finished test is frozen: “quire outbox reopen TEST” first makes a draft of it.")

    @OptionGroup var options: StoreOptions
    @OptionGroup var format: JSONOption
    @Argument(help: "The test's id, or its first characters.", completion: StoreCompletion.test)
    var test: String

    func run() throws {
        let store = try options.openStore()
        let stored = try store.people.claim(try store.people.item(prefix: test).id)
        try Acknowledgement.tell(stored, options, json: format.json, of: store)
    }
}
