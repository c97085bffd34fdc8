import Model

/// Why a request for a screen fails. The server shows it as its other errors.
package enum AuthoringError: Error, Hashable, Sendable {
    /// There is nothing at the address.
    case notFound
    /// A form that no screen sent.
    case notOurs
    /// The draft was published or deleted meanwhile.
    case gone

    /// The heading and the sentence about a draft that is gone.
    package static func gone(_ language: Language) -> (heading: String, detail: String) {
        (
            language.text("This draft is gone"),
            language.text("Someone published or deleted it meanwhile. The list of questionnaires has what there is.")
        )
    }
}
