import Model

/// A fault in one file of the folder of questionnaires.
package struct CatalogFault: Hashable, Sendable {
    /// The host's reaction.
    package enum Consequence: Hashable, Sendable {
        /// No version of it is published.
        case leftOut
        /// Its last good version stays published until the file is right or deleted.
        case formerVersion(id: String, publishedAt: Timestamp)
        /// Another file has the same id, and that one is published.
        case shadowed(by: String)
    }

    package var fileName: String
    package var reason: String
    package var consequence: Consequence

    package var description: String {
        let name = fileName.debugDescription
        switch consequence {
        case .leftOut: return "\(name) is left out: \(reason)"
        case .formerVersion(let id, let time):
            return
                "\(name) cannot be used: \(reason); the version of “\(id)” from \(time) stays published until the file is "
                + "corrected or deleted"
        case .shadowed(let owner):
            return "\(name) is left out: \(owner.debugDescription) has the same id; give it another one"
        }
    }
}
