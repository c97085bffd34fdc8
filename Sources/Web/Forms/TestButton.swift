import Model

/// The buttons of a test's form: where they lead once the form is saved, and what they change.
enum TestButton {
    /// Leads back after the server was asked, without a script: `sync`.
    static let sync = "sync"

    /// The button that changes the language of the page, without a script: `page-ru`.
    private static let pagePrefix = "page-"

    /// The page's language that a button names.
    static func language(_ go: String?) -> Language? {
        go.flatMap { $0.hasPrefix(pagePrefix) ? Language(rawValue: String($0.dropFirst(pagePrefix.count))) : nil }
    }

    /// Whether the rest of a button's value is the place of a question, when it begins so.
    static func namesQuestion(_ start: Substring) -> Bool { start == flagPrefix || start == filesPrefix }

    /// Where a button leads: which questions are visible depends on the answers that are saved with it.
    static func led(_ go: String?, from at: Int?, _ visible: [Int]) -> String? {
        let at = at ?? -1
        switch go {
        case "next": return visible.first { $0 > at }.map { "\($0)" } ?? "review"
        case "previous": return visible.last { $0 < at }.map { "\($0)" } ?? "\(TestScreen.nearest(to: at, visible))"
        default:
            guard let target = go.flatMap({ Int(place: $0) }), !visible.isEmpty, !visible.contains(target) else {
                return go
            }
            return "\(TestScreen.nearest(to: target, visible))"
        }
    }

    /// The change that a button makes in the draft: the language that it is shown in, or the flag of a question.
    static func change(_ go: String?, _ questionnaire: Questionnaire) -> (@Sendable (inout TestRecord) -> Void)? {
        if let tag = LanguageChoice.tag(go), questionnaire.languages.contains(tag) { return { $0.language = tag } }
        guard let go, go.hasPrefix(flagPrefix), let index = Int(place: go.dropFirst(flagPrefix.count)),
            questionnaire.questions.indices.contains(index)
        else { return nil }
        let id = questionnaire.questions[index].id
        return { $0.toggleFlag(id) }
    }

    /// The button that flags a question: `flag-1`.
    static let flagPrefix = "flag-"

    private static let filesPrefix = "files-"

    /// The question whose files a button leads to: `files-1`.
    static func files(_ go: String) -> Int? {
        go.hasPrefix(filesPrefix) ? Int(place: go.dropFirst(filesPrefix.count)) : nil
    }

    static func target(_ go: String?, _ id: TestID, at: Int?) -> String {
        switch go {
        case "review": "/t/\(id)/review"
        case "leave": "/"
        case "person": "/person"
        case "all": "/t/\(id)?view=all" + (at.map { "#q\($0)" } ?? "")
        case "one": "/t/\(id)?view=one"
        default:
            if let go, go.hasPrefix(flagPrefix), let index = Int(place: go.dropFirst(flagPrefix.count)) {
                "/t/\(id)?n=\(index + 1)#q\(index)"
            } else if let index = go.flatMap(files), index >= 0 {
                FilesScreen.address(id, index)
            } else if let index = go.flatMap({ Int(place: $0) }) {
                "/t/\(id)?n=\(index + 1)#q\(index)"
            } else {
                at.map { "/t/\(id)?n=\($0 + 1)" } ?? "/t/\(id)"
            }
        }
    }
}
