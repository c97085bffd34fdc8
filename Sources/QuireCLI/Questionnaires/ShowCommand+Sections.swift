import Model
import Quire
import Terminal

extension ShowCommand {
    /// What is read above a question that is the first of its section, and how many of its questions a test has.
    static func showSection(_ section: Section, _ format: TextFormat, width: Int) {
        let language = Output.language
        Output.line()
        if let title = section.title, !title.isEmpty {
            for line in wrap(format.line(of: title), width: width) {
                Output.write(Output.styled(terminalSafe(line), .bold) + "\n")
            }
        }
        if let text = section.text, !text.isEmpty {
            for line in wrap(text, in: format, width: width) { Output.line(line) }
        }
        for medium in section.media {
            Output.line(language.text("Picture") + ": " + (medium.alt ?? medium.path))
        }
        if section.repetition != nil {
            let (word, fewest, most) = (section.instanceWord(language), section.fewestInstances, section.mostInstances)
            let times = language.text("Repeated: \(format.line(of: word)), from \(fewest) to \(most) times.")
            Output.write(Output.styled(terminalSafe(times), .dim) + "\n")
        }
        if let pick = section.pick, pick < section.questions.count {
            Output.write(
                Output.styled(
                    language.text("Each test has \(pick) of these \(section.questions.count) questions."), .dim) + "\n")
        }
    }

    /// What a test does with the document's order.
    static func order(of questionnaire: Questionnaire) -> [String] {
        let language = Output.language
        return switch (questionnaire.shuffle.questions, questionnaire.shuffle.options) {
        case (true, true): [language.text("questions and options in an order of each test’s own")]
        case (true, false): [language.text("questions in an order of each test’s own")]
        case (false, true): [language.text("options in an order of each test’s own")]
        case (false, false): []
        }
    }
}
