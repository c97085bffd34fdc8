import Model

/// What `takeInteractively` needs to know: the questions, the test as it stands, and the words around them.
public struct TakeRequest {
    public var questionnaire: Questionnaire
    public var record: TestRecord
    public var language: Language
    /// A line shown at the top, such as “A newer version exists”.
    public var notice: String?
    /// Where a picture is on this disk, when it is here.
    public var mediaPath: (Media) -> String?
    /// What finishing will do, such as “Send” or “Save, send when connected”. Asked again each second.
    public var buttonTitle: () -> String
    /// The network's state in words, such as “Offline”. Asked again each second.
    public var networkState: () -> String?
    /// The command that goes on with this test, told on leaving.
    public var resumeCommand: String
    public var now: () -> Timestamp

    public init(
        questionnaire: Questionnaire, record: TestRecord, language: Language, notice: String? = nil,
        mediaPath: @escaping (Media) -> String? = { _ in nil },
        buttonTitle: @autoclosure @escaping () -> String,
        networkState: @autoclosure @escaping () -> String? = nil,
        resumeCommand: String? = nil,
        now: @escaping () -> Timestamp
    ) {
        self.questionnaire = questionnaire
        self.record = record
        self.language = language
        self.notice = notice
        self.mediaPath = mediaPath
        self.buttonTitle = buttonTitle
        self.networkState = networkState
        self.resumeCommand = resumeCommand ?? "quire take " + shellWord(questionnaire.id)
        self.now = now
    }
}

/// A word as a shell takes it, quoted where it has to be.
private func shellWord(_ word: String) -> String {
    let isPlain = word.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || ("0"..."9").contains($0) || "-_./:@%+,".unicodeScalars.contains($0)
    }
    if isPlain, !word.isEmpty, !word.hasPrefix("-") { return word }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
