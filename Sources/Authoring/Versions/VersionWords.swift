import Model

/// The fixed texts of the screens about published versions.
package enum VersionWords {
    package static func table(_ language: Language) -> [String: String] {
        [
            "versions": language.text("Versions"),
            "openTitle": language.text("Open or closed"),
            "closeNow": language.text("Close now"),
            "closeAbout": language.text(
                "From then on a test that is handed in is late. Devices know it with their next update; the host knows it at once."
            ),
            "lateNow": language.text("A test that comes later"),
            "reopen": language.text("Open again"),
            "versionsTitle": language.text("Published versions"),
            "versionsAbout": language.text(
                "The host keeps each version. Tests keep the one that they were taken with."),
            "currentVersion": language.text("published now"),
            "firstVersion": language.text("This is the oldest version that the host keeps."),
            "beforeTitle": language.text("Changed by this version"),
            "sinceTitle": language.text("Changed since, until now"),
            "returnTo": language.text("Make a draft of this version"),
            "returnAbout": language.text(
                "Nothing is published by it: look at the draft, then publish it or discard it."),
            "returnOver": language.text(
                "There is a draft already. It gets the text of this version, and Undo returns it."),
        ]
    }
}
