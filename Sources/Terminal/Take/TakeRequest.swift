import Model

/// The input of `takeInteractively`: the questions, the test, and the words around them.
package struct TakeRequest {
    package var questionnaire: Questionnaire
    package var record: TestRecord
    package var language: Language
    /// A line shown at the top, such as “A newer version exists”.
    package var notice: String?
    /// Where a picture is on this disk, when it is here.
    package var mediaPath: (Media) -> String?
    /// The files that belong to answers. Asked again each second: they are attached by other commands.
    package var attachments: () -> [Attachment]
    /// The effect of finishing, such as “Send” or “Save, send when connected”. Called again each second.
    package var buttonTitle: () -> String
    /// The network's state in words, such as “Offline”. Asked again each second.
    package var networkState: () -> String?
    /// The command that resumes this test, shown on leaving.
    package var resumeCommand: String
    package var now: () -> Timestamp
    /// Gets the time in which the program was stopped (Ctrl-Z, `kill -STOP`), when it goes on.
    package var wasStopped: (Duration) -> Void
    /// Minutes east of UTC at a moment, for times that are written without an offset.
    package var localOffset: (Timestamp) -> Int

    package init(
        questionnaire: Questionnaire, record: TestRecord, language: Language, notice: String? = nil,
        mediaPath: @escaping (Media) -> String? = { _ in nil }, attachments: (() -> [Attachment])? = nil,
        buttonTitle: @autoclosure @escaping () -> String,
        networkState: @autoclosure @escaping () -> String? = nil,
        resumeCommand: String? = nil,
        now: @escaping () -> Timestamp, wasStopped: @escaping (Duration) -> Void = { _ in },
        localOffset: @escaping (Timestamp) -> Int = { _ in 0 }
    ) {
        self.questionnaire = questionnaire
        self.record = record
        self.language = language
        self.notice = notice
        self.mediaPath = mediaPath
        self.attachments = attachments ?? { record.attachments }
        self.buttonTitle = buttonTitle
        self.networkState = networkState
        self.resumeCommand = resumeCommand ?? "quire take \(record.id)"
        self.now = now
        self.wasStopped = wasStopped
        self.localOffset = localOffset
    }
}
