import ArgumentParser
import Model

/// A command line that cannot be understood: what is wrong, what was meant perhaps, and where the command is explained.
struct UsageFailure {
    /// One sentence, without the place to read on.
    var message: String
    /// Such as `quire outbox retry`.
    var command: String
    var suggestion: Suggestion?

    /// - Parameter message: the parser's.
    init(_ message: String, arguments: ArraySlice<String>) {
        let place = CommandPlace(arguments)
        command = place.name
        let language = Output.language
        if let word = place.unknownWord {
            let name = Suggestion.quoted("\(command) \(word)")
            self.message = language.text("there is no command \(name)")
            suggestion = .words(like: word, among: place.subcommands)
        } else if let match = message.firstMatch(of: /^Unknown option '(--?[^']+)'/) {
            let option = String(match.output.1)
            let (quoted, name) = (Suggestion.quoted(option), Suggestion.quoted(command))
            self.message = language.text("there is no option \(quoted) of \(name)")
            // Of one letter each is like every other.
            suggestion = option.hasPrefix("--") ? .words(like: option, among: place.options) : nil
        } else {
            // The parser lists values below each other.
            self.message = message.replacing(#/:?\n *- /#) { $0.output.hasPrefix(":") ? ": " : ", " }
        }
    }

    func print() {
        let name = Suggestion.quoted("\(command) --help")
        Output.complain(Output.language.text("\(message): see \(name)"), suggestion)
    }
}

/// The command that a command line names, as far as it names one.
private struct CommandPlace {
    private var path: [any ParsableCommand.Type] = [QuireCommand.self]
    /// A word in the place of a command that is none.
    private(set) var unknownWord: String?

    init(_ arguments: ArraySlice<String>) {
        var words = arguments
        if words.first == "help" { words = words.dropFirst() }
        for word in words {
            let below = path[path.count - 1].configuration.subcommands
            if word.hasPrefix("-") || below.isEmpty { break }
            guard let next = below.first(where: { $0.configuration.commandName == word }) else {
                unknownWord = word
                break
            }
            path.append(next)
        }
    }

    var name: String { path.compactMap { $0.configuration.commandName }.joined(separator: " ") }

    var subcommands: [String] {
        path[path.count - 1].configuration.subcommands.compactMap { $0.configuration.commandName }
    }

    /// The long options of the command, out of its help.
    var options: [String] {
        let command = path[path.count - 1]
        let runs = [command] + (command.configuration.defaultSubcommand.map { [$0] } ?? [])
        let help = runs.map { QuireCommand.helpMessage(for: $0, columns: 200) }.joined(separator: "\n")
        return help.matches(of: /(?m)^  (?:-\w, )?(--[a-z-]+)(?:\/(--[a-z-]+))?/).flatMap { match in
            [match.output.1, match.output.2].compactMap { $0.map(String.init) }
        }
    }
}
