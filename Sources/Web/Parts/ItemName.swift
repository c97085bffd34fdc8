import Model

/// The displayed name: the title, or the id if the title has nothing to read or to click.
enum ItemName {
    static func of(_ title: String, id: String) -> String { title.allSatisfy(\.isWhitespace) ? id : title }
}

extension Questionnaire {
    var name: String { ItemName.of(title, id: id) }
}

extension QuestionnaireReference {
    var name: String { ItemName.of(title, id: id) }
}
