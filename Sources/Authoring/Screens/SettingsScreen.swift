import Disk
import Model

/// The settings of a draft.
struct SettingsScreen {
    let page: DraftPage
    var fields: SettingsFields

    init(page: DraftPage) {
        self.page = page
        fields = SettingsFields(page.document)
    }

    func content() throws -> AuthoringScreens.Content {
        let language = page.language
        var model: [String: any Sendable] = [
            "action": page.href("settings"), "newline": "\n", "titleText": fields.title,
            "description": fields.description,
            "locale": fields.locale, "markdown": fields.isMarkdown, "minutes": fields.minutes, "pass": fields.passScore,
            "subject": fields.subject, "level": fields.level, "tags": fields.tags, "ends": fields.endsByItself,
            "shuffleQuestions": fields.shufflesQuestions, "shuffleOptions": fields.shufflesOptions,
            "moments": [moment("opens", fields.opensAt), moment("closes", fields.closesAt)],
            "attempts": fields.attempts,
            "languages": Self.languages(fields.locale, language),
        ]
        model["lates"] = Self.late(language).map {
            ["value": $0.0, "name": $0.1, "current": $0.0 == fields.late] as [String: any Sendable]
        }
        model["releases"] = SettingsFields.releases.map { name, _ -> [String: any Sendable] in
            [
                "id": name, "name": Self.releaseName(name, language),
                "moments": Self.moments(language).map {
                    ["value": $0.0, "name": $0.1, "current": $0.0 == fields.release[name]] as [String: any Sendable]
                },
            ]
        }
        let unseen = page.document.members.keys.filter { !Self.shownMembers.contains($0) }.sorted()
        if !unseen.isEmpty {
            let list = unseen.map { "“\($0)”" }.joined(separator: ", ")
            model["kept"] = language.text("Not shown here, and kept as it is: \(list).")
        }
        return try page.content(.draftsettings, "settings", model)
    }

    /// What is done with a late test.
    static func late(_ language: Language) -> [(String, String)] {
        [
            ("accept", language.text("is accepted")), ("mark", language.text("is accepted and marked as late")),
            ("refuse", language.text("is refused")),
        ]
    }

    static func releaseName(_ name: String, _ language: Language) -> String {
        switch name {
        case "score": language.text("The score")
        case "verdicts": language.text("Right or wrong for each question")
        case "correct": language.text("The right answers")
        case "explanation": language.text("The explanations")
        default: name
        }
    }

    /// When something is released.
    static func moments(_ language: Language) -> [(String, String)] {
        [
            ("rated", language.text("as soon as the test is marked")),
            ("closed", language.text("after the questionnaire closes")), ("never", language.text("never")),
        ]
    }

    private func moment(_ name: String, _ text: String) -> [String: any Sendable] {
        [
            "name": name, "shown": SettingsFields.shown(text), "moment": Timestamp(text)?.description ?? "",
            "label": name == "opens" ? page.language.text("Opens") : page.language.text("Closes"),
        ]
    }

    private static let shownMembers: Set<String> = [
        "id", "localId", "title", "description", "locale", "language", "textFormat", "updatedAt", "timeLimitSeconds",
        "passScore", "shuffle", "availability", "release", "questions", "key", "answerKey", "multiAnswerKey",
        "sections", "subject", "tags", "level", "finishAtTimeLimit",
    ]

    /// The languages to choose from; a tag that the document has is one of them.
    static func languages(_ current: String, _ language: Language) -> [[String: any Sendable]] {
        languageNames(current, language).map { ["value": $0.0, "name": $0.1, "current": $0.0 == current] }
    }

    static func languageNames(_ current: String, _ language: Language) -> [(String, String)] {
        var known = Dictionary(uniqueKeysWithValues: Language.allCases.map { ($0.rawValue, $0.name) })
        known.merge(["de": "Deutsch", "es": "Español", "fr": "Français", "it": "Italiano", "pl": "Polski"]) {
            first, _ in first
        }
        let all = [""] + known.keys.sorted() + (current.isEmpty || known[current] != nil ? [] : [current])
        return all.map { ($0, $0.isEmpty ? language.text("not stated") : known[$0] ?? $0) }
    }
}
