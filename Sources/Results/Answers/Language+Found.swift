import Model

extension Language {
    /// How many answers a search found: “1 of 3 answers”.
    package func found(_ count: Int, of all: Int) -> String {
        plural(all, one: "\(count) of \(all) answer", other: "\(count) of \(all) answers", context: "search")
    }
}
