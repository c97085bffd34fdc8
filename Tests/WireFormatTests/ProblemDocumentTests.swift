import Model
import Testing
import WireFormat

@Suite("Problem documents, RFC 9457")
struct ProblemDocumentTests {
    private func read(_ document: ProblemDocument, type: String = ProblemDocument.mediaType) -> ReceivedProblem? {
        ReceivedProblem(contentType: type, status: document.status, body: document.bytes)
    }

    @Test("what is written is read back, with the protocol's marks")
    func roundTrip() throws {
        let document = ProblemDocument(
            status: 409, name: "Conflict", kind: "different-content", title: "Other answers", detail: "Send yours.")
        let problem = try #require(read(document))
        #expect(problem.type == "urn:quire:problem:different-content")
        #expect(problem.sentence == "Send yours." && problem.isOwn)
        #expect(read(document, type: "Application/Problem+JSON; charset=utf-8") != nil)
        #expect(read(document, type: "application/json") == nil)
    }

    @Test("where the status says it all, its name is the kind and the title")
    func statusAlone() {
        let document = ProblemDocument(status: 404, name: "Not Found", detail: "There is nothing at this address.")
        #expect(document.type == "urn:quire:problem:not-found" && document.title == "Not Found")
        let text = String(decoding: document.bytes, as: UTF8.self)
        #expect(text.hasSuffix("}\n") && text.contains("\"status\":404"))
        #expect(!text.contains("null"))
    }

    @Test("a document without a type has no marks")
    func markless() throws {
        var document = ProblemDocument(status: 400, name: "Bad Request", detail: "The end is given twice.")
        document.type = nil
        let problem = try #require(read(document))
        #expect(!problem.isOwn && problem.sentence == "The end is given twice.")
    }

    @Test("an upload that stands elsewhere has the registered type and both offsets")
    func upload() throws {
        let document = ProblemDocument(UploadFault.elsewhere(expected: 5, provided: 7), name: "Conflict")
        #expect(document.type == "https://iana.org/assignments/http-problem-types#mismatching-upload-offset")
        let problem = try #require(read(document))
        guard case .object(let members) = problem.value else { return #expect(Bool(false), "not an object") }
        #expect(members["expected-offset"] == .integer(5) && members["provided-offset"] == .integer(7))
        #expect(problem.isOwn)
    }

    @Test("a sentence of another program is cut, and its document has no marks of ours")
    func foreign() throws {
        let long = String(repeating: "a", count: 1000)
        let body = Array("{\"type\": \"https://example.org/x\", \"title\": \"\(long)\"}".utf8)
        let problem = try #require(ReceivedProblem(contentType: ProblemDocument.mediaType, status: 400, body: body))
        #expect(problem.sentence?.count == 500 && !problem.isOwn)
        #expect(ReceivedProblem(contentType: ProblemDocument.mediaType, status: 400, body: Array("[]".utf8)) == nil)
    }
}
