import Model

extension OutgoingChange {
    package var kind: OutboxKind {
        switch self {
        case .questionnaire: .questionnaire
        case .favorite: .favorite
        case .media: .media
        }
    }

    /// - Throws: `DocumentFault` that names the field.
    init(kind: OutboxKind, file: [UInt8]) throws(DocumentFault) {
        switch kind {
        case .test: throw DocumentFault(field: nil, reason: "it is a test")
        case .questionnaire: self = .questionnaire(try QuestionnaireChange(file: file))
        case .favorite: self = .favorite(try DocumentCoding.decode(FavoriteChange.self, from: file))
        case .media: self = .media(try MediaChange(file: file))
        }
    }

    func file() throws -> [UInt8] {
        switch self {
        case .questionnaire(let change): try change.file()
        case .favorite(let change): try DocumentCoding.encode(change)
        case .media(let change): try DocumentCoding.encode(change)
        }
    }
}
