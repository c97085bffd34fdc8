import Model
import Wording

extension QuireStore.AttachmentLine {
    /// The words that QuireWording has, until `Explainer` gives values.
    func words(_ language: Language) -> String {
        let state =
            status.map {
                $0.words(
                    language, reason: delivery?.reason(in: language), isKept: medium != nil, medium: medium ?? .hub)
            } ?? language.text("goes with the test")
        return language.text("Attached")
            + ": \(attachment.name), \(ByteCount.format(attachment.sizeBytes, language)) (\(language.text("question")) \(QuestionInstance.written(attachment.questionId))): "
            + state.asSentence
    }
}
