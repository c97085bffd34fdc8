import Localization
import Model

extension AnswerFault: DescribedError {
    public var description: String { "question “\(QuestionInstance.written(questionId))”: \(reason)" }
}

extension AnswerFault.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .problem(let problem, let question): question.words(for: problem, .english)
        case .severalAnswers(let count): "takes one answer, and \(count) were given"
        case .objectGiven: "takes one answer, and an object was given"
        case .notOption(let text): "“\(text.prefix(60))” is not one of its options"
        case .optionTwice(let text): "“\(text.prefix(60))” is given more than once"
        case .notOptionLeft(let text): "“\(text.prefix(60))” is not one of its options, or is there twice"
        case .notNumber(let text): "“\(text.prefix(40))” is not a number"
        case .ambiguousNumber(let text, let fraction, let whole):
            "“\(text.prefix(40))” may mean \(fraction) or \(whole): write \(whole) or \(fraction)"
        case .notMoment(let text, let form): "“\(text.prefix(40))” is no \(form.words(.english))"
        case .ambiguousMoment(let text, let readings):
            "“\(text.prefix(40))” may mean \(readings.joined(separator: " or ")): write one of them"
        case .notLocation:
            "takes a latitude from -90 to 90, a longitude from -180 to 180, and accuracyMeters if known"
        case .notRanking: "takes all its options in order, as a list: [\"…\", \"…\"]"
        case .notFile(let question):
            "takes files, and a value was given: attach them with “quire attach TEST \(question) FILE”"
        case .takesNoAnswer: "is a note, which takes no answer"
        case .notParts(.gap): "takes an object with an answer for each gap: {\"1\": …}"
        case .notParts(.row): "takes an object with an answer for each row: {\"row\": …}"
        case .noPart(let part, let name): "has no \(part.rawValue) “\(name.prefix(60))”"
        case .partTwice(let part, let name): "has two answers for \(part.rawValue) “\(name.prefix(60))”"
        case .notTexts: "takes texts, and something else was given"
        case .inPart(let part, let name, let reason): "\(part.rawValue) “\(name.prefix(60))”: \(reason)"
        case .noQuestion(let questionnaire?): "the questionnaire “\(questionnaire)” has no such question"
        case .noQuestion(nil): "the questionnaire has no such question"
        case .tooManyInstances(let section, let most):
            "the section “\(section)” is asked at most \(most) times: leave out the others"
        case .answeredTwice: "there are two answers to it: answer it again, then finish"
        case .tooManyFiles(let most):
            "takes at most \(most == 1 ? "1 file" : "\(most) files"): remove one with “quire attach --remove” first"
        case .otherFileType(let name, let mediaType, let accepted):
            "takes files of these types alone: \(accepted.joined(separator: ", ")), and “\(name)” is \(mediaType)"
        case .noShownFile(let name): "it shows no file “\(name)”"
        }
    }
}
