/// A question in one instance of a repeated section.
///
/// A file names it by two members, `questionId` and `instance`. In memory it has one id, written `name[2]`, so that whatever finds answers by
/// the ids of questions keeps the instances apart. An invisible character before the bracket keeps it from being the id of any
/// question of a document.
package struct QuestionInstance: Hashable, Sendable {
    /// The question's id in the document.
    package var question: String
    /// The number of the instance, from 1; `nil` for a question that is asked once.
    package var number: Int?

    private static let mark = "\u{2060}["

    package init(question: String, number: Int?) {
        self.question = question
        self.number = number
    }

    /// Reads an id of memory.
    package init(_ id: String) {
        self.init(question: id, number: nil)
        guard id.utf8.last == UInt8(ascii: "]"), let start = id.unicodeScalars.lastIndex(of: "\u{2060}") else { return }
        let rest = id.unicodeScalars[start...]
        guard let number = Int(String(rest.dropFirst(2).dropLast())), number > 0,
            String(rest) == "\(Self.mark)\(number)]"
        else { return }
        self.init(question: String(id.unicodeScalars[..<start]), number: number)
    }

    /// The id of memory.
    package var id: String { number.map { "\(question)\(Self.mark)\($0)]" } ?? question }

    /// As people read and type it: `name[2]`.
    package var written: String { number.map { "\(question)[\($0)]" } ?? question }

    /// As people read and type the question of an id of memory.
    package static func written(_ id: String) -> String { QuestionInstance(id).written }

    /// The same for a shell's command line.
    package static func typed(_ id: String) -> String {
        let place = QuestionInstance(id)
        return place.number == nil ? id : "'\(place.written)'"
    }

    /// The id of memory that a person means: one of these ids, as it is or as it is written.
    package static func id(writtenAs text: String, among ids: some Sequence<String>) -> String? {
        var found: String?
        for id in ids {
            if id == text { return id }
            if found == nil, QuestionInstance.written(id) == text { found = id }
        }
        return found
    }
}
