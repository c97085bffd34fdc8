import Localization
import Model
import OutboxStore
import Quire
import Wording

extension QuireStore.AttachmentLine {
    /// The state in words.
    public func state(_ language: Language) -> String {
        status.map {
            $0.words(language, reason: delivery?.reason(in: language), isKept: medium != nil, medium: medium ?? .hub)
        }
            ?? language.text("goes with the test")
    }

    /// As one line for people.
    public func words(_ language: Language) -> String {
        let question = language.text("question")
        return language.text("Attached")
            + ": \(attachment.name), \(ByteCount.format(attachment.sizeBytes, language)) (\(question) \(QuestionInstance.written(attachment.questionId))): "
            + state(language).asSentence
    }
}
