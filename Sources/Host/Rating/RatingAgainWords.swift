import Model

/// Sentences about the tests that rating again does not list.
package struct RatingAgainWords {
    let language: Language

    package init(language: Language) { self.language = language }

    /// A sentence for each kind of outcome that there is.
    package func counts(_ again: RatingAgain) -> [String] {
        var texts: [String] = []
        func add(_ count: Int, _ text: (Int) -> String) { if count > 0 { texts.append(text(count)) } }
        texts.append(language.text("Ratings that change: \(again.changed.count)"))
        add(again.count(.same)) { language.text("Ratings that stay: \($0)") }
        add(again.count(.ratedAsOne)) { language.text("Rated as one by a person, which stays: \($0)") }
        add(again.count(.unknownVersion)) { language.text("Of a version whose key is not known here: \($0)") }
        add(again.count(.nothingToRate)) { language.text("Without a key: \($0)") }
        add(again.ofEarlierVersions) {
            language.text("Taken with another version, and rated by its own key: \($0)")
        }
        return texts
    }
}
