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
        case .noneCurrent:
            "no one is the current person: “quire person set NAME” or “quire person use ID” says who it is"
        }
    }
}
