import Model

/// The fixed texts of the screen on which questions are copied.
enum CopyWords {
    static func table(_ language: Language) -> [String: String] {
        [
            "copyLink": language.text("Copy questions from other questionnaires"),
            "copyField": language.text("Words of the question, its options or its questionnaire"),
            "search": language.text("Search", context: "button"),
            "copyNothing": language.text("No question of another questionnaire has all of these words."),
            "copyNone": language.text("Nothing was copied: tick the questions first."),
            "copyButton": language.text("Copy the ticked questions"),
            "copyAbout": language.text(
                "A copy has its key, points and pictures, and is changed without changing the original. Its condition stays behind."
            ),
            "withKey": language.text("with its key"),
            "withoutCondition": language.text("without its condition"),
        ]
    }
}
