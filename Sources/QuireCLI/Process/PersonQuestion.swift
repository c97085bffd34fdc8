import Glibc
import Model
import Quire
import Terminal

/// The question at the terminal who takes a test, where people share the device and none of them is the current one.
enum PersonQuestion {
    static func ask(_ store: QuireStore) throws {
        let state = try store.people.state()
        let isListed = try store.classList() != nil
        guard state.current == nil, isListed || !state.people.isEmpty, Output.isInteractive else { return }
        let language = Output.language
        let people = try store.knownPeople()
        for (number, person) in people.enumerated() { write("  \(number + 1)  \(person.fullName)\n") }
        while true {
            write(
                isListed
                    ? language.text("Who is taking this? A number, or a name of the class list (Enter: no one): ")
                    : language.text("Who is taking this? A number, or a new name (Enter: no one): "))
            guard let line = readLine() else { return }
            let text = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if text.isEmpty { return }
            do {
                if let number = Int(text) {
                    guard people.indices.contains(number - 1) else {
                        write(language.text("There is no number \(number).") + "\n")
                        continue
                    }
                    try store.usePerson(people[number - 1].id)
                } else if let found = try listed(text, store) {
                    // Choose among several: their ids are exact.
                    if found.count > 1 {
                        for person in found.prefix(20) { write("  \(person.id)  \(person.fullName)\n") }
                        write(
                            language.text("Several people match: type the number on the left, or more of the name.")
                                + "\n")
                        continue
                    }
                    try store.usePerson(found[0].id)
                } else {
                    try store.setPerson(name: text)
                }
                return
            } catch let error as PersonError {
                write("\(error)\n")
            }
        }
    }

    /// People of the class list whom a text means; `nil` where it means no one of them.
    private static func listed(_ text: String, _ store: QuireStore) throws -> [Person]? {
        guard let list = try store.classList() else { return nil }
        if let exact = list.people.first(where: { $0.id == text }) { return [exact] }
        let found = list.matches(text)
        return found.isEmpty ? nil : found
    }

    /// On standard error: the output may be piped.
    private static func write(_ text: String) { Output.write(terminalSafe(text), to: STDERR_FILENO) }
}
