/// The files of a question are edited in the JSON itself: everything else in it stays unchanged.
extension Questionnaire {
    private static let questionsName = "questions"
    private static let mediaName = "media"

    /// The document with one more file at a question, after the existing ones.
    ///
    /// - Throws: `DocumentFault` for an invalid questionnaire, or one without such a question.
    package static func document(
        _ json: [UInt8], adding media: Media, to questionId: String
    ) throws(DocumentFault) -> [UInt8] {
        let place = try place(of: questionId, in: json)
        let made = try line(media)
        guard let member = place.question.members.last(where: { $0.name == mediaName }) else {
            return json.replacing(place.range, with: try place.question.appending(mediaName, [0x5B] + made + [0x5D]))
        }
        let value = place.range.lowerBound + member.value.lowerBound..<place.range.lowerBound + member.value.upperBound
        guard let last = try checked(Array(json[value])).elements.last else {
            return json.replacing(value, with: [0x5B] + made + [0x5D])
        }
        let end = value.lowerBound + last.upperBound
        return json.replacing(end..<end, with: [0x2C, 0x20] + made)
    }

    /// The document without one of the files of a question.
    ///
    /// - Parameter path: as the question names it.
    /// - Throws: `DocumentFault` for an invalid questionnaire, or one without such a question.
    package static func document(
        _ json: [UInt8], removing path: String, from questionId: String
    ) throws(DocumentFault) -> [UInt8] {
        let place = try place(of: questionId, in: json)
        guard let member = place.question.members.last(where: { $0.name == mediaName }) else { return json }
        let list = try checked(Array(place.question.bytes[member.value]))
        let kept = zip(place.paths, list.elements).filter { $0.0 != path }.map { Array(list.bytes[$0.1]) }
        if kept.count == list.elements.count { return json }
        if kept.isEmpty { return json.replacing(place.range, with: place.question.removing([mediaName])) }
        let value = place.range.lowerBound + member.value.lowerBound..<place.range.lowerBound + member.value.upperBound
        return json.replacing(value, with: [0x5B] + Array(kept.joined(separator: [0x2C, 0x20])) + [0x5D])
    }

    /// A question in the text: its range, its value, and the paths of its files.
    private struct Place {
        var range: Range<Int>
        var question: JSONText
        var paths: [String]
    }

    private static func place(of questionId: String, in json: [UInt8]) throws(DocumentFault) -> Place {
        let questionnaire = try Questionnaire(json: json)
        guard let index = questionnaire.questions.firstIndex(where: { $0.id == questionId }) else {
            throw DocumentFault(field: questionsName, reason: "has no question “\(questionId)”")
        }
        guard let list = try checked(json).members.last(where: { $0.name == questionsName }) else {
            throw DocumentFault(field: questionsName, reason: "is missing")
        }
        let elements = try checked(Array(json[list.value])).elements
        guard elements.indices.contains(index) else {
            throw DocumentFault(field: questionsName, reason: "is not a list")
        }
        let range =
            list.value.lowerBound + elements[index].lowerBound..<list.value.lowerBound
            + elements[index].upperBound
        return Place(
            range: range, question: try checked(Array(json[range])),
            paths: questionnaire.questions[index].media.map(\.path))
    }

    private static func checked(_ bytes: [UInt8]) throws(DocumentFault) -> JSONText {
        do throws(JSONFault) {
            return try JSONText(checking: bytes)
        } catch {
            throw DocumentFault(field: nil, reason: "it is not JSON: \(error)")
        }
    }

    private static func line(_ media: Media) throws(DocumentFault) -> [UInt8] {
        do {
            return try DocumentCoding.encodeLine(media).dropLast()
        } catch {
            throw DocumentFault(field: mediaName, reason: "\(error)")
        }
    }
}

extension JSONText {
    /// The object with one more member at its end, formatted like the one before it.
    fileprivate func appending(_ name: String, _ value: [UInt8]) throws(DocumentFault) -> [UInt8] {
        guard let last = members.last else {
            throw DocumentFault(field: nil, reason: "an object with members belongs where “\(name)” is to be")
        }
        // With the line break and the indentation of the one before.
        let spaces = bytes[..<last.range.lowerBound].reversed().prefix { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let member = [0x2C] + spaces.reversed() + Array("\"\(name)\": ".utf8) + value
        return bytes.replacing(last.range.upperBound..<last.range.upperBound, with: member)
    }
}

extension [UInt8] {
    fileprivate func replacing(_ range: Range<Int>, with bytes: [UInt8]) -> [UInt8] {
        Array(self[..<range.lowerBound]) + bytes + self[range.upperBound...]
    }
}
