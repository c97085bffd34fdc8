import Localization

extension Language {
    /// “Less than 5 minutes left.”
    package func timeWarning(_ seconds: Int) -> String {
        seconds <= 60 ? text("Less than a minute left.") : text("Less than 5 minutes left.")
    }

    /// Said before the test is started.
    package var endsByItself: String { text("handed in by itself at the end of the time") }

    /// Why a test was handed in.
    package var endedByTimeLimit: String { text("The time is over: the test is handed in as it was.") }
}
