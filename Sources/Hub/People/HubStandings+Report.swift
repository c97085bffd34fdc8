import Model

extension HubStandings {
    /// For the status page: numbers, and names only where the hub shows the class list to its room.
    struct Report: Sendable, Encodable {
        struct Questionnaire: Sendable, Encodable {
            struct Person: Sendable, Encodable {
                var id, name: String
                var group: String?
                var state: State
            }

            var id, title: String
            /// How many people there are in each state.
            var states: [String: Int]
            var people: Int
            var withoutPerson: Int
            var persons: [Person]?
        }

        var questionnaires: [Questionnaire]

        static let mostQuestionnaires = 50

        init(_ standings: HubStandings, withNames: Bool) {
            questionnaires = standings.questionnaires.prefix(Self.mostQuestionnaires).map { questionnaire in
                Questionnaire(
                    id: questionnaire.id, title: questionnaire.title,
                    states: Dictionary(
                        uniqueKeysWithValues: State.allCases.map { ($0.rawValue, questionnaire.count($0)) }),
                    people: questionnaire.lines.count, withoutPerson: questionnaire.withoutPerson,
                    persons: withNames
                        ? questionnaire.lines.map {
                            .init(id: $0.person.id, name: $0.person.name, group: $0.person.group, state: $0.state)
                        } : nil)
            }
        }
    }
}
