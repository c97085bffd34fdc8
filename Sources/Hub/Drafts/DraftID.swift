import Model

/// What a phone hands over under one id: a draft, or a file that is attached to it.
struct DraftID: Hashable, Sendable {
    var test: TestID
    var file: TestID?

    private static let suffix = ".draft"

    init(_ test: TestID, file: TestID? = nil) {
        self.test = test
        self.file = file
    }

    /// Reads the name of its file; `nil` for a name that is not exactly as we write it.
    init?(name: String) {
        guard name.hasSuffix(Self.suffix) else { return nil }
        self.init(parts: name.dropLast(Self.suffix.count).split(separator: ".", omittingEmptySubsequences: false))
        guard self.name == name else { return nil }
    }

    /// Reads the end of its address, `<test>` or `<test>/<file>`.
    init?(path: some StringProtocol) {
        self.init(parts: path.split(separator: "/", omittingEmptySubsequences: false).map { Substring($0) })
    }

    private init?(parts: [Substring]) {
        guard (1...2).contains(parts.count), let test = TestID(parts[0]) else { return nil }
        self.test = test
        guard parts.count == 2 else { return }
        guard let file = TestID(parts[1]) else { return nil }
        self.file = file
    }

    /// The name of its file in the folder of its person.
    var name: String { test.description + (file.map { ".\($0)" } ?? "") + Self.suffix }
}
