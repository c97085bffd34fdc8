import Model
import Testing
import WireFormat

@Suite("The paths of the protocol")
struct APIPathTests {
    private static let id = "3fa85f64-5717-4562-b3fc-2c963f66afa6"
    private static let hex = String(repeating: "0f", count: 32)

    @Test(
        "each path is written and read back",
        arguments: [
            ("/v1/", APIPath.service), ("/v1/questionnaires", .questionnaires),
            ("/v1/questionnaires/geo%2F1", .questionnaire("geo/1")),
            ("/v1/questionnaires/films/%D0%B0.mp4", .media(["films", "а.mp4"])),
            ("/v1/tests", .tests), ("/v1/tests/\(id)", .test(id)), ("/v1/tests/\(id)/media", .attachments(id)),
            ("/v1/tests/\(id)/media/\(id)", .attachment(test: id, id: id)), ("/v1/uploads/\(id)", .upload(id)),
            ("/v1/receipts", .receipts), ("/v1/changes", .changes), ("/v1/favorites", .favorites),
            ("/v1/favorites/geo%2F1", .favorite("geo/1")), ("/v1/access/keys", .accessKeys),
            ("/v1/access/self", .accessSelf), ("/v1/people", .people),
        ])
    func paths(_ text: String, _ path: APIPath) throws {
        #expect(try APIPath(text) == path)
        #expect(path.text == text)
    }

    @Test("a file named by its content has a path of its own")
    func contentPath() throws {
        let file = try #require(ContentPath("media/\(Self.hex).png"))
        let path = APIPath.mediaContent(file)
        #expect(path.text == "/v1/questionnaires/media/\(Self.hex).png")
        #expect(try APIPath(path.text) == path)
    }

    @Test(
        "other paths are not the protocol's",
        arguments: [
            "", "/", "/v2/tests", "/v1/questionnaires/", "/v1/tests/", "/v1/tests/\(id)/other", "/v1/uploads",
            "/v1/uploads/", "/v1/favorites/",
            "/v1/access", "/v1/access/", "/v1/access/keys/x", "/v1/receipts/\(id)", "/v1/tests/\(id)/media/\(id)/more",
        ])
    func others(_ text: String) throws { #expect(try APIPath(text) == nil) }

    @Test("a path that is not percent-encoded UTF-8 is malformed", arguments: ["/v1/%", "/v1/tests/%ff"])
    func malformed(_ text: String) { #expect(throws: APIPath.Malformed.self) { try APIPath(text) } }

    @Test("receipts are requested by their ids, with commas written either way")
    func receipts() throws {
        let ids = [try #require(TestID(Self.id)), TestID.random()]
        let path = APIPath.receipts(of: ids)
        #expect(path == "/v1/tests?ids=\(ids[0]),\(ids[1])")
        #expect(APIPath.receiptIDs(inQueryOf: path) == ids)
        #expect(APIPath.receiptIDs(inQueryOf: path.replacing(",", with: "%2C")) == ids)
        #expect(APIPath.receiptIDs(inQueryOf: "/v1/receipts?ids=\(ids[1])") == [ids[1]])
        for other in ["/v1/tests", "/v1/tests?ids=x", "/v1/changes?ids=\(ids[0])"] {
            #expect(APIPath.receiptIDs(inQueryOf: other) == nil)
        }
        let many = (0...APIPath.mostReceipts).map { _ in TestID.random() }
        #expect(APIPath.receiptIDs(inQueryOf: APIPath.receipts(of: many)) == nil)
    }

    @Test("the place of an upload, from where it began")
    func location() throws {
        let id = TestID.random()
        let file = try #require(ContentPath("media/\(Self.hex).png"))
        #expect(APIPath.location(ofUpload: id, of: .test(.random())) == "../../../uploads/\(id)")
        #expect(APIPath.location(ofUpload: id, of: .questionnaire(file)) == "../../uploads/\(id)")
    }
}
