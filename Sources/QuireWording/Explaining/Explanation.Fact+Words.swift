import Localization
import Model
import OutboxStore
import Quire
import Wording

extension Explanation.Fact {
    package func words(_ language: Language) -> String? {
        func say(_ text: LocalizedText) -> String { language.text(text) }
        return switch self {
        case .unreadable(let error): error.description
        case .unreadableReceipt(let error):
            error.description + say(" – the next sync asks the server for it again.")
        case .otherVersion(let status): say("Another version of it lies in \(status.rawValue).")
        case .started(let time, let count):
            language.plural(
                count, one: "Started \(time.inWords), 1 answer.", other: "Started \(time.inWords), \(count) answers.")
        case .finished(let time): say("Finished \(time.inWords).")
        case .attachment(let line): line.words(language)
        case .revision(let chain): chain.words(language)
        case .revised(let id): say("It was revised: \(id).")
        case .timeTaken(let taken): taken?.words(language) ?? TimeTaken.exceeded(language)
        case .changed(let action, let time): "\(action.words(language)) \(time.inWords)."
        case .base(let etag): say("It is based on the version \(etag).")
        case .after(let id): say("It goes on from change \(id).")
        case .file(let media):
            "\(media.name), \(media.mediaType), \(ByteCount.format(media.sizeBytes, language))."
        case .owner(let media): owner(of: media, language)
        case .bytes(let path): path
        case .bytesRemoved: say("The copy here was removed; the server has it.")
        case .bytesMissing: say("Its bytes are not on this device.")
        case .partlyUploaded: say("A part may be on the server: the next sync goes on from there.")
        case .tried(let delivery): tried(delivery, language)
        case .kept(let time, let medium): medium.keptSince(language).replacing("{time}", with: time.inWords)
        case .changedAfterSending:
            say("The file was changed after it was first sent: the server may hold other answers.")
        case .stored(let time): say("The server stored it \(time.inWords).")
        case .renamed(let id): say("The server calls it \(id).")
        case .receipt(let digest, true): say("The receipt matches this file (\(digest)).")
        case .receipt(let digest, false):
            say("The receipt does not match this file (\(digest)): the file was changed since.")
        case .missing: say("The server no longer has it.")
        case .unknownVersion:
            say("The server does not know the version that it was taken with, so a person rates it.")
        case .score(let evaluation): say("Score: \(evaluation.summary(language)).")
        case .ratingChanged(let receipt): receipt.changeWords(language)
        case .passed(let isPassed): isPassed ? say("Passed") : say("Not passed")
        case .returned(let receipt): receipt.returnWords(language)
        case .moreReleased(let time): say("More of the result is shown after \(time.inWords).")
        }
    }

    private func owner(of media: MediaChange, _ language: Language) -> String {
        let question = media.attachment.questionId
        return switch media.owner {
        case .test(let test): language.text("It belongs to question \(question) of test \(test).")
        case .questionnaire(let path):
            language.text("It belongs to question \(question) of questionnaire \(media.questionnaire), as \(path).")
        }
    }

    /// The number of attempts and the result of the last one.
    private func tried(_ delivery: Receipt.Delivery, _ language: Language) -> String {
        let reason = delivery.reason(in: language)
        guard delivery.attempts > 0 else { return reason }
        let (last, sentence) = (delivery.lastAttempt.inWords, reason.asSentence)
        return language.plural(
            delivery.attempts, one: "Tried 1 time, last \(last): \(sentence)",
            other: "Tried \(delivery.attempts) times, last \(last): \(sentence)")
    }
}
