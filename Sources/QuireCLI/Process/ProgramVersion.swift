import CBuild

/// The program's version.
enum ProgramVersion {
    static let number = "0.1.0"

    /// The version, and the commit where it is known: `0.1.0 (81a48e4c2)`.
    static var description: String {
        let commit = String(cString: quire_commit())
        return commit.isEmpty ? number : "\(number) (\(commit))"
    }
}
