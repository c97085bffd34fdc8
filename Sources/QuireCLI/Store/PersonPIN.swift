import ArgumentParser
import Model
import Quire
import Terminal

/// `quire person pin`: the current person's PIN on this device.
struct PersonPIN: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin", abstract: "Set, change or remove the current person's PIN on this device.",
        discussion: """
            Who switches to a person with a PIN types it, or the code of their card where they logged in with it here. \
            The PIN is asked for without showing it; where standard input is no terminal its lines are read: the PIN of \
            now, where there is one, then the new one. Five wrong ones are free, then each try waits, from 30 s to 15 min at \
            most. A PIN that was forgotten is removed with --reset by who looks after the device.
            """)

    @OptionGroup var options: StoreOptions
    @Flag(help: "Remove it.") var remove = false
    @Option(help: ArgumentHelp("Remove that of a person who forgot it: an id, or a name.", valueName: "person"))
    var reset: String?

    func validate() throws {
        if remove, reset != nil {
            throw ValidationError("--remove is for your own PIN, --reset for another person's: give one")
        }
    }

    func run() throws {
        let store = try options.openStore()
        let language = Output.language
        if let reset {
            let person = try store.people.resetPIN(of: reset)
            return options.say(line: language.text("\(person.fullName) has no PIN now."))
        }
        guard let current = try store.people.state().current else { throw PersonError.noneCurrent }
        let former = try store.people.pins.isSet(for: current.id) ? SecretLine.read(language.text("PIN now: ")) : nil
        if remove {
            try store.people.setPIN(nil, former: former)
            return options.say(line: language.text("\(current.fullName) has no PIN now."))
        }
        let new = SecretLine.read(language.text("New PIN, 4 to 12 digits: ")) ?? ""
        if Output.isInteractive, SecretLine.read(language.text("Once more: ")) != new {
            throw Failure(Exit.badData, "the two PINs differ: nothing was changed, try again")
        }
        try store.people.setPIN(new, former: former)
        options.say(line: language.text("\(current.fullName) has a PIN now."))
    }

    /// Does what may need the PIN of a person, and asks for it where it does.
    static func asking<Result>(_ body: (_ pin: String?) throws -> Result) throws -> Result {
        do {
            return try body(nil)
        } catch PersonError.pinNeeded(let person) {
            let prompt = Output.language.text("PIN of \(person.fullName), or the code of the card: ")
            return try body(SecretLine.read(terminalSafe(prompt)) ?? "")
        }
    }
}
