/// The answers that a script gives, by the ids of their questions.
///
///     {"members": 2, "household": [{"name": "Anna", "age": 34}, {"name": "Ben"}], "name[2]": "Bert"}
///
/// A repeated section has a list with an object for each of its instances, in their order. `name[2]` is the question `name` of the
/// instance 2.
package struct GivenAnswers: Hashable, Sendable, Decodable {
    package var values: [String: Answer.Value]
    /// By section: the answers of each instance.
    package var instances: [String: [[String: Answer.Value]]] = [:]

    package init(_ values: [String: Answer.Value]) { self.values = values }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        values = [:]
        for key in container.allKeys {
            if let list = try? container.decode([[String: Answer.Value]].self, forKey: key), !list.isEmpty {
                instances[key.stringValue] = list
            } else {
                values[key.stringValue] = try container.decode(Answer.Value.self, forKey: key)
            }
        }
    }

    /// Gives a test the instances that the answers need, and names the answers by the ids of memory.
    ///
    /// - Parameter questionnaire: arranged or not.
    /// - Throws: `AnswerFault` for a question that is not there, and for more instances than the section may have.
    package func placed(
        in record: inout TestRecord, of questionnaire: Questionnaire
    ) throws(AnswerFault) -> [String: Answer.Value] {
        for section in questionnaire.documentRepeats { record.nameFirstInstance(of: section) }
        var placed: [String: Answer.Value] = [:]
        for (id, list) in instances.sorted(by: { $0.key < $1.key }) {
            guard let section = questionnaire.repeatedSection(id) else { throw Self.missing(id, questionnaire) }
            while section.instances(in: record).count < list.count {
                guard record.addInstance(of: section) != nil else { throw Self.tooMany(id, section) }
            }
            for (number, answers) in zip(section.instances(in: record), list) {
                for (question, value) in answers.sorted(by: { $0.key < $1.key }) {
                    guard section.questions.contains(question) else { throw Self.missing(question, questionnaire) }
                    placed[QuestionInstance(question: question, number: number).id] = value
                }
            }
        }
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            placed[try Self.id(name, &record, questionnaire)] = value
        }
        return placed
    }

    private static func id(
        _ name: String, _ record: inout TestRecord, _ questionnaire: Questionnaire
    ) throws(AnswerFault) -> String {
        if questionnaire.repeated(for: record).question(name) != nil || questionnaire.notDrawn.contains(name) {
            return name
        }
        var (question, number) = (name, Int?.none)
        if name.hasSuffix("]"), let start = name.lastIndex(of: "["),
            let stated = Int(name[start...].dropFirst().dropLast())
        {
            (question, number) = (String(name[..<start]), stated)
        }
        guard let section = questionnaire.repeatedSection(ofQuestion: question) else {
            throw missing(name, questionnaire)
        }
        let numbers = section.instances(in: record)
        guard let number = number ?? numbers.first, number > 0 else { throw missing(name, questionnaire) }
        if !numbers.contains(number) {
            guard numbers.count < section.mostInstances else { throw tooMany(name, section) }
            record.instances[section.id] = numbers + [number]
        }
        return QuestionInstance(question: question, number: number).id
    }

    private static func missing(_ id: String, _ questionnaire: Questionnaire) -> AnswerFault {
        AnswerFault(questionId: id, reason: .noQuestion(questionnaire: questionnaire.id))
    }

    private static func tooMany(_ id: String, _ section: Section) -> AnswerFault {
        AnswerFault(
            questionId: id, reason: .tooManyInstances(section: section.id, most: section.mostInstances))
    }
}
