import Glibc
import Model
import Quire
import Terminal

/// The question at the terminal who takes a test, where people share the device and none of them is the current one.
enum PersonQuestion {
    static func ask(_ store: QuireStore) throws {
        let state = try store.people.state()
        guard state.current == nil, !state.people.isEmpty, Output.isInteractive else { return }
        let language = Output.language
        let people = try store.knownPeople()
        for (number, person) in people.enumerated() { write("  \(number + 1)  \(person.fullName)\n") }
        while true {
            write(language.text("Who is taking this? A number, or a new name (Enter: no one): "))
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
                } else {
                    try store.setPerson(name: text)
                }
                return
            } catch let error as PersonError {
                write("\(error)\n")
            }
        }
    }

    /// On standard error: the output may be piped.
    private static func write(_ text: String) { Output.write(terminalSafe(text), to: STDERR_FILENO) }
}
