import Localization
import Model

extension AnswerTransfer.Reason {
    package func words(_ language: Language) -> String {
        switch self {
        case .noQuestion: language.text("the question was removed")
        case .otherQuestion: language.text("it is a different question now")
        case .otherKind: language.text("it is answered differently now")
        case .noOption: language.text("this option was removed")
        }
    }
}

extension AnswerTransfer.Change {
    /// The points that the person should review, in words.
    package func words(_ language: Language) -> [String] {
        var lines: [String] = []
        if let formerQuestion {
            lines.append(
                formerQuestion == question
                    ? language.text("“\(question)” shows another picture or sound.")
                    : language.text("The question was “\(formerQuestion)” and is “\(question)”."))
        }
        if let formerAnswer {
            lines.append(
                language.text("The answer was “\(formerAnswer)” and is “\(answer)”."))
        }
        return lines
    }
}
