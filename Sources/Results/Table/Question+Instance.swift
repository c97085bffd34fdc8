import Model

extension Question {
    /// The question with the name of its instance before its text: “Person 2: Name?”.
    func named(by instance: Section.Instance?, _ questionnaire: Questionnaire) -> Question {
        guard let instance else { return self }
        var question = self
        // The text of a formatted one may begin with a block, such as a heading.
        let space = questionnaire.textFormat == .plain ? " " : "\n\n"
        question.text = "\(instance.name):\(space)\(text)"
        return question
    }
}

extension HandedInTest {
    /// The test with the questions of its instances. Answers without an instance belong to the first one.
    var withInstances: HandedInTest {
        guard let version, version.hasRepeatedSections else { return self }
        var test = self
        test.record.nameInstances(of: version)
        test.version = version.repeated(for: test.record)
        return test
    }
}
