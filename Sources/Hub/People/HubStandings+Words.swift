import Model

extension HubStandings.State {
    /// In words, within a sentence.
    package func words(_ language: Language) -> String {
        switch self {
        case .notBegun: language.text("not handed in")
        case .waiting: language.text("waiting at the hub")
        case .refused: language.text("not accepted")
        case .delivered: language.text("delivered")
        case .checking: language.text("being checked")
        case .rated: language.text("rated")
        }
    }
}
