import Model

/// Why people on a device cannot be used as asked, and what to do about it.
package enum PersonError: DescribedError, Equatable {
    /// A member of a person that cannot be one.
    case invalid(field: String, text: String, reason: String)
    case unknown(String)
    /// Several people have this name, or ids that begin so.
    case ambiguous(String, [Person])
    case noneCurrent
    /// A text that is no code.
    case invalidCode
    /// The server does not know the code, or it was revoked.
    case unknownCode
    /// The remote knows no codes: a folder, or a server of a former version.
    case noCodesHere
    /// Only people of the class list take tests here, and this is none of them; without a name no one is there.
    case notListed(String?)
    /// A text that is no PIN.
    case invalidPIN
    /// The person has a PIN, and none was given.
    case pinNeeded(Person)
    /// The wait is until the next try; 0 for none.
    case wrongPIN(Person, waitSeconds: Int)
    /// Too many wrong ones: nothing was compared.
    case pinWait(Person, seconds: Int)
    case unreadablePIN(Person)

    package var description: String {
        switch self {
        case .invalid(let field, let text, let reason): "the \(field) “\(text.prefix(60))” \(reason): give another one"
        case .unknown(let text):
            "there is no person “\(text)” on this device: see “quire person list”, or add one with “quire person set NAME”"
        case .ambiguous(let text, let people):
            "\(people.count) people are meant by “\(text)”: name one by id, "
                + people.map { "\($0.id) for \($0.fullName)" }.joined(separator: ", ")
        case .invalidCode: "that is no code: type the letters and digits on the card"
        case .unknownCode: "the server does not accept this code: check each character, or ask for a new card"
        case .noCodesHere: "this remote knows no codes: use the address of a host or a hub"
        case .notListed(let name):
            (name.map { "“\($0)” is not on the class list" } ?? "no one is the current person")
                + ", and only people on it take tests here: “quire person list --class” shows them, “quire person use” chooses one"
        case .invalidPIN: "that is no PIN: type \(PIN.fewestDigits) to \(PIN.mostDigits) digits"
        case .pinNeeded(let person): "\(person.fullName) has a PIN: type it, or give it on standard input"
        case .wrongPIN(let person, let seconds):
            "that is not the PIN of \(person.fullName): "
                + (seconds > 0 ? "the next try is in \(seconds) s" : "try again")
                + ", or log in with the code of the card"
        case .pinWait(let person, let seconds):
            "too many wrong PINs for \(person.fullName): try again in \(seconds) s, or log in with the code of the card"
        case .unreadablePIN(let person):
            "the PIN of \(person.fullName) cannot be read: “quire person pin --reset \(person.id)” removes it"
        case .noneCurrent:
            "no one is the current person: “quire person set NAME” or “quire person use ID” says who it is"
        }
    }
}
