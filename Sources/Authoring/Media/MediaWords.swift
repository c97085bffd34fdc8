import AuthorDrafts
import Model

/// The fixed texts of the screens about pictures and sounds.
enum MediaWords {
    static func table(_ language: Language) -> [String: String] {
        [
            "mediaTitle": language.text("Pictures and sound"),
            "noMedia": language.text("There are none yet."),
            "fileField": language.text("A picture, sound or film"),
            "fileAbout": language.text(
                "Choose a file, or drop one onto the field: at most \(DraftStore.maximumMediaBytes >> 20) MB. People get it with the questionnaire."
            ),
            "altField": language.text("Description"),
            "altAbout": language.text("For those who cannot see or hear it, and where it cannot be shown."),
            "addMedia": language.text("Add the file"),
            "saveDescriptions": language.text("Save the descriptions"),
            "backToForm": language.text("Back to the form"),
            "remove": language.text("Remove"),
        ]
    }
}
