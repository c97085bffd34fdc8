/// When those who took a test see its score, the verdicts, the right answers and the explanations.
package struct Release: Hashable, Sendable {
    package enum Moment: String, Hashable, Sendable, Codable {
        /// As soon as the test is rated.
        case rated
        /// After `closesAt`; as soon as it is rated where there is none.
        case closed
        case never
    }

    package var score: Moment = .rated
    /// ✓ and ✗.
    package var verdicts: Moment = .rated
    package var correct: Moment = .never
    package var explanation: Moment = .never
    package var otherMembers: [String: JSONValue] = [:]

    package init() {}

    /// Nothing at all.
    package static let nothing: Release = {
        var release = Release()
        (release.score, release.verdicts) = (.never, .never)
        return release
    }()

    /// Reads a member of a document that may be of any form: where it says something that this program does not know, nothing is
    /// given out.
    init<Key: CodingKey>(lenient container: KeyedDecodingContainer<Key>, _ key: Key) {
        self.init()
        guard container.contains(key), (try? container.decode([String: JSONValue].self, forKey: key)) != nil else {
            return
        }
        self = (try? container.decode(Release.self, forKey: key)) ?? .nothing
    }

    /// Whether something is shown now.
    package static func isReleased(_ moment: Moment, isRated: Bool, closesAt: Timestamp?, now: Timestamp) -> Bool {
        switch moment {
        case .rated: isRated
        case .closed: isRated && closesAt.map { now > $0 } ?? true
        case .never: false
        }
    }
}

extension Release: Codable {
    private enum Key: String, CodingKey, CaseIterable { case score, verdicts, correct, explanation }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        score = try container.decodeIfPresent(Moment.self, forKey: .score) ?? .rated
        verdicts = try container.decodeIfPresent(Moment.self, forKey: .verdicts) ?? .rated
        correct = try container.decodeIfPresent(Moment.self, forKey: .correct) ?? .never
        explanation = try container.decodeIfPresent(Moment.self, forKey: .explanation) ?? .never
        otherMembers = try UnknownMembers.decode(from: decoder, known: Key.allCases)
    }

    package func encode(to encoder: any Encoder) throws {
        try UnknownMembers.encode(otherMembers, to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        if score != .rated { try container.encode(score, forKey: .score) }
        if verdicts != .rated { try container.encode(verdicts, forKey: .verdicts) }
        if correct != .never { try container.encode(correct, forKey: .correct) }
        if explanation != .never { try container.encode(explanation, forKey: .explanation) }
    }
}
