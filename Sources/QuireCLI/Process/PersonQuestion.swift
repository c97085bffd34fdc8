import Glibc
import Model
import Quire
import Terminal

/// The question at the terminal who takes a test, where people share the device and none of them is the current one.
enum PersonQuestion {
    static func ask(_ store: QuireStore) throws {
        let state = try store.people.state()
        let isListed = try store.people.classList.current() != nil
        guard state.current == nil, isListed || !state.people.isEmpty, Output.isInteractive else { return }
        let language = Output.language
        // A number means the list that was shown last, and nothing else: ids of a class list are numbers, too.
        var offered = try store.people.known()
        show(offered)
        var last = ""
        while true {
            write(
                isListed
                    ? language.text("Who is taking this? A number, or a name of the class list (Enter: no one): ")
                    : language.text("Who is taking this? A number, or a new name (Enter: no one): "))
            guard let line = readLine() else { return }
            let text = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if text.isEmpty { return }
            do {
                if let number = Int(text), number > 0, number <= offered.count {
                    try PersonPIN.asking { _ = try store.people.use(named: offered[number - 1].id, pin: $0) }
                    return
                }
                let (found, isExact) = try listed(text, store)
                if isExact, found.count == 1 {
                    try PersonPIN.asking { _ = try store.people.use(named: found[0].id, pin: $0) }
                } else if !found.isEmpty, text != last {
                    // A part of a name never stands for a person who was not shown.
                    offered = Array(found.prefix(20))
                    show(offered)
                    write(
                        language.text(
                            "Is it one of these? Type the number on the left, or a new person’s name once more.") + "\n"
                    )
                    last = text
                    continue
                } else if let number = Int(text) {
                    write(language.text("There is no number \(number).") + "\n")
                    continue
                } else {
                    try PersonPIN.asking { _ = try store.people.set(name: text, pin: $0) }
                }
                return
            } catch let error as PersonError {
                write("\(error)\n")
            }
        }
    }

    private static func show(_ people: [Person]) {
        for (number, person) in people.enumerated() { write("  \(number + 1)  \(person.fullName)\n") }
    }

    /// People of the class list whom a text may mean, and whether it is their id or name.
    private static func listed(_ text: String, _ store: QuireStore) throws -> (people: [Person], isExact: Bool) {
        guard let list = try store.people.classList.current() else { return ([], false) }
        if let one = list.people.first(where: { $0.id == text }) { return ([one], true) }
        let folded = TextFolding.fold(text)
        let named = list.people.filter { TextFolding.fold($0.name) == folded }
        return named.isEmpty ? (list.matches(text), false) : (named, true)
    }

    /// On standard error: the output may be piped.
    private static func write(_ text: String) { Output.write(terminalSafe(text), to: STDERR_FILENO) }
}
