/// The owner of a file that is on its way to the server.
package enum MediaOwner: Hashable, Sendable {
    /// The answer of a test, which names it by its id.
    case test(TestID)
    /// The questionnaires that name it by this path.
    case questionnaire(ContentPath)

    package var test: TestID? { if case .test(let id) = self { id } else { nil } }
    package var path: ContentPath? { if case .questionnaire(let path) = self { path } else { nil } }
}

extension MediaOwner: Codable {
    private enum Key: String, CodingKey { case test, path }

    /// Encoded as one of the two members, in the object of the owned file.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard try container.decodeIfPresent(TestID.self, forKey: .test) == nil,
            let text = try container.decodeIfPresent(String.self, forKey: .path)
        else {
            self = .test(try container.decode(TestID.self, forKey: .test))
            return
        }
        guard let path = ContentPath(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .path, in: container,
                debugDescription: "is not \(ContentPath.folder)/, the SHA-256 in hexadecimal, a dot and an ending")
        }
        self = .questionnaire(path)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .test(let id): try container.encode(id, forKey: .test)
        case .questionnaire(let path): try container.encode(path.description, forKey: .path)
        }
    }
}
