import CacheStore
import HTTPCaching
import Model
import Quire
import Sync

/// The JSON documents.
extension FuzzTarget {
    static func questionnaire(_ bytes: [UInt8]) throws(BrokenPromise) {
        if let text = try? JSONText(checking: bytes), text.isObject {
            let rest = text.removing(["answerKey", "id"])
            try promise((try? JSONText(checking: rest)) != nil, "what is left without some members is not JSON")
        }
        guard let questionnaire = try? Questionnaire(json: bytes) else { return }
        try promise(Questionnaire.fault(inID: questionnaire.id) == nil, "a questionnaire with a bad id was read")
        _ = TextFolding.fold(questionnaire.searchableText)
        _ = DocumentSummary(questionnaire, media: questionnaire.media.map(\.path))
        try reencodes(questionnaire)
    }

    static func list(_ bytes: [UInt8]) throws(BrokenPromise) {
        let server = "http://127.0.0.1:8484/v1/questionnaires"
        guard let list = try? DocumentCoding.decode(QuestionnaireList.self, from: bytes) else { return }
        for item in list.questionnaires {
            for reference in [item.url] + (item.media ?? []) {
                guard let url = RemoteURL.resolve(reference, against: server) else { continue }
                try promise(url.hasPrefix("http://127.0.0.1:8484/"), "“\(reference)” leads to \(url)")
            }
        }
    }

    static func entry(_ bytes: [UInt8]) throws(BrokenPromise) {
        guard let entry = try? DocumentCoding.decode(CacheEntry.self, from: bytes) else { return }
        let path = entry.blob.path
        try promise(
            path.string.hasPrefix("cache/blobs/") && path.components.count == 4
                && !path.components.contains(where: { $0.string == ".." }), "an entry names the blob \(path)")
        _ = Freshness.freshUntil(entry.response).description
        try reencodes(entry)
    }

    static func test(_ bytes: [UInt8]) throws(BrokenPromise) {
        guard let record = try? DocumentCoding.decode(TestRecord.self, from: bytes) else { return }
        try reencodes(record)
    }

    static func change(_ bytes: [UInt8]) throws(BrokenPromise) {
        if let favorite = try? DocumentCoding.decode(FavoriteChange.self, from: bytes) { try reencodes(favorite) }
        guard let change = try? QuestionnaireChange(file: bytes) else { return }
        guard let file = try? change.file(), let again = try? QuestionnaireChange(file: file) else {
            throw BrokenPromise(description: "a change that was read cannot be written and read again")
        }
        try promise(again == change, "a change is another one when it was written and read")
        try promise(
            (change.document == nil) == (change.action == .delete), "a \(change.action) with or without document")
    }

    static func receipt(_ bytes: [UInt8]) throws(BrokenPromise) {
        guard let receipt = try? DocumentCoding.decode(Receipt.self, from: bytes) else { return }
        _ = receipt.evaluation?.summary
        try reencodes(receipt)
    }

    static func settings(_ bytes: [UInt8]) throws(BrokenPromise) {
        guard let settings = try? DocumentCoding.decode(StoreSettings.self, from: bytes) else { return }
        try reencodes(settings)
    }

    private static let questions = [
        Question(id: "one", text: "One?", kind: .choice, options: ["yes", "no", "Ё", "é"]),
        Question(id: "many", text: "Many?", kind: .choices, options: ["a", "b", "b"]),
        Question(id: "number", text: "How many?", kind: .number),
        Question(id: "text", text: "What?", kind: .text),
    ]

    static func answers(_ bytes: [UInt8]) throws(BrokenPromise) {
        guard let values = try? DocumentCoding.decode([String: Answer.Value].self, from: bytes) else { return }
        for (_, value) in values {
            for question in questions {
                guard let answer = try? question.answer(value) else { continue }
                let places = answer.optionIndexes
                try promise(
                    places.allSatisfy(question.options.indices.contains), "an option that is not there: \(places)")
                try reencodes(answer)
            }
        }
    }

    /// What was read can be written, and what was written says the same.
    private static func reencodes(_ value: some Codable) throws(BrokenPromise) {
        func encoded<Value: Codable>(_ value: Value) throws -> ([UInt8], Value) {
            let bytes = try DocumentCoding.encode(value)
            return (bytes, try DocumentCoding.decode(Value.self, from: bytes))
        }
        do {
            let (first, again) = try encoded(value)
            let (second, _) = try encoded(again)
            if first == second { return }
        } catch {
            throw BrokenPromise(description: "what was read cannot be written and read again: \(error)")
        }
        throw BrokenPromise(description: "what was written is read as something else")
    }
}
