import ArgumentParser

/// A command that reads its own words when they are the plain ones: `quire show ID --json`.
///
/// Before it reads a word, ArgumentParser asks the types of all the commands what they hold, and each question is a search
/// among the conformances of the whole program: three quarters of what `quire show` had to do (27 of 37 million
/// instructions). So the verbs that are asked for again and again read their words here. Help, other spellings
/// (`--store=DIR`) and mistakes are left to the parser, which alone knows what to say about them.
protocol PlainCommand: ParsableCommand {
    /// The verb's own options; those of every command (``StoreOptions``) are known.
    static var plainFlags: [String] { get }
    static var plainOptions: [String] { get }

    /// The command of these words, or `nil` to leave them to the parser.
    ///
    /// Not an initializer: in one, a value for a property that has a default would make its definition anew.
    static func plain(_ words: PlainWords) -> Self?

    /// What `run()` does, whichever of the two it has: to ask that of a type is such a search, too. It stays on the thread
    /// that it is called on until it waits for something.
    nonisolated(nonsending) func perform() async throws
}

extension PlainCommand {
    nonisolated(nonsending) func perform() async throws {
        var command = self
        try command.run()
    }

    static var plainFlags: [String] { ["--json"] }
    static var plainOptions: [String] { [] }

    fileprivate static func plain(_ arguments: ArraySlice<String>) -> Self? {
        PlainWords(arguments, flags: plainFlags, options: plainOptions).flatMap { plain($0) }
    }
}

extension PlainCommand where Self: AsyncParsableCommand {
    @available(*, unavailable, message: "an asynchronous command has a perform() of its own, beside its run()")
    nonisolated(nonsending) func perform() async throws {}
}

/// The words after a verb, each an operand or an option in its plain spelling, none of them twice.
struct PlainWords {
    // A handful: to make sets of them takes longer than to look at each.
    private var flags: [String] = []
    private var options: [(name: String, value: String)] = []
    private(set) var operands: [String] = []

    /// - Returns: `nil` where a word is none of these: the parser is to judge it.
    fileprivate init?(_ arguments: ArraySlice<String>, flags known: [String], options valued: [String]) {
        var rest = arguments
        while let word = rest.popFirst() {
            if !word.hasPrefix("-") {
                operands.append(word)
            } else if known.contains(word) || word == "--offline" || word == "--quiet" || word == "-q" {
                let flag = word == "-q" ? "--quiet" : word
                guard !has(flag) else { return nil }
                flags.append(flag)
            } else if valued.contains(word) || word == "--store" {
                guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("-"), self.value(word) == nil
                else { return nil }
                options.append((word, value))
            } else {
                return nil
            }
        }
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    func value(_ option: String) -> String? { options.first { $0.name == option }?.value }

    var format: JSONOption {
        var format = JSONOption()
        format.json = has("--json")
        return format
    }

    var storeOptions: StoreOptions {
        var options = StoreOptions()
        options.store = value("--store")
        options.offline = has("--offline")
        options.quiet = has("--quiet")
        return options
    }

    /// The command of a program's arguments (without its name), where its verb reads plain words and these are.
    static func command(_ arguments: [String]) -> sending (any PlainCommand)? {
        let words = arguments.dropFirst()
        return switch arguments.first {
        case "list": ListCommand.plain(words)
        case "search": SearchCommand.plain(words)
        case "show": ShowCommand.plain(words)
        case "tests": TestsCommand.plain(words)
        case "why": WhyCommand.plain(words)
        case "status": StatusCommand.plain(words)
        default: nil
        }
    }
}
