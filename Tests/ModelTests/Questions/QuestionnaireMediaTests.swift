import Model
import Testing

@Suite("Files that a questionnaire shows")
struct QuestionnaireMediaTests {
    private static let hex = String(repeating: "0a", count: 32)

    @Test("descriptions of media are translated, as many as there are")
    func translatedDescriptions() throws {
        let json = """
            {"id": "q", "title": "Q", "locale": "en", "sections": [{"id": "s", "questions": ["a", "b"], "media": [{"path": "s.png", "alt": "Map"}]}],
            "questions": [{"id": "a", "text": "?", "media": [{"path": "a.png", "alt": "Well"}, {"path": "b.png"}]},
            {"id": "b", "text": "?", "media": [{"path": "c.png", "alt": "House"}]}],
            "translations": {"ru": {"sections": {"s": {"media": ["Карта"]}},
            "questions": {"a": {"media": ["Колодец", "Ведро"]}, "b": {"media": ["Дом", "Двор"]}}}}}
            """
        let questionnaire = try Questionnaire(json: Array(json.utf8))
        let russian = questionnaire.translated(to: "ru")
        #expect(russian.media.map(\.alt) == ["Колодец", "Ведро", "House", "Карта"])
        #expect(russian.media.map(\.path) == questionnaire.media.map(\.path))
        #expect(questionnaire.translated(to: "en").media.map(\.alt) == ["Well", nil, "House", "Map"])
    }

    @Test("a file is named by its content and the kind that it is of, however it was called")
    func path() throws {
        let digest = try #require(Digest(hex: Self.hex))
        for (name, ending) in [
            ("a.jpg", "jpg"), ("b.JPEG", "jpg"), ("c.ogg", "ogg"), ("d.opus", "ogg"), ("e.txt", "txt"),
        ] {
            #expect(
                ContentPath(digest, mediaType: MediaType.of(fileName: name)).description
                    == "media/\(Self.hex).\(ending)")
        }
        #expect(ContentPath(digest, mediaType: "application/x-unheard").ending == "bin")
        let path = try #require(ContentPath("media/\(Self.hex).png"))
        #expect(path.digest == digest && path.description == "media/\(Self.hex).png")
    }

    @Test(
        "what is not exactly of that form is another file",
        arguments: [
            "media/compass.png", "media/\(hex)", "media/\(hex).", "media/\(hex).PNG", "media/\(hex).tar.gz",
            "media/\(hex.uppercased()).png", "/media/\(hex).png", "media/../\(hex).png", "\(hex).png",
            "media/\(hex).photograph", "media/\(hex).p/g", "other/\(hex).png",
        ])
    func otherPath(_ text: String) { #expect(ContentPath(text) == nil) }

    // MARK: Editing

    private func changed(_ json: String, adding path: String, to question: String) throws -> String {
        let media = Media(path: path, type: "image/png")
        return String(
            decoding: try Questionnaire.document(Array(json.utf8), adding: media, to: question), as: UTF8.self)
    }

    private func changed(_ json: String, removing path: String, from question: String) throws -> String {
        String(decoding: try Questionnaire.document(Array(json.utf8), removing: path, from: question), as: UTF8.self)
    }

    @Test("a file is added to its question, after the others, and taken away again; nothing else changes a byte")
    func editing() throws {
        let json = """
            {"id": "a", "x": [1.50, {"questions": []}], "title": "A ]}",
             "questions": [
              {"id": "q0", "text": "\\"}", "media": [{"path": "media/a.png", "alt": "é"}]},
              {
                "text": "?",
                "id": "q1",
                "more": {"media": []}
              }
             ], "last": null}
            """
        let one = try changed(json, adding: "media/1.png", to: "q1")
        #expect(
            one
                == json.replacing(
                    #""more": {"media": []}"#,
                    with: #""more": {"media": []},"# + "\n    "
                        + #""media": [{"path":"media/1.png","type":"image/png"}]"#))
        let two = try changed(one, adding: "media/2.png", to: "q1")
        #expect(
            two
                == one.replacing(
                    #""image/png"}]"#, with: #""image/png"}, {"path":"media/2.png","type":"image/png"}]"#))
        #expect(
            try Questionnaire(json: Array(two.utf8)).question("q1")?.media.map(\.path) == [
                "media/1.png", "media/2.png",
            ])
        #expect(try changed(two, removing: "media/2.png", from: "q1") == one)
        #expect(try changed(one, removing: "media/1.png", from: "q1") == json)
        // Of another one's files none is taken.
        #expect(try changed(two, removing: "media/a.png", from: "q1") == two)
        #expect(try changed(json, removing: "media/a.png", from: "q0").contains(#"{"id": "q0", "text": "\"}"},"#))
    }

    @Test("a list that is empty or null, and a question with a member alone")
    func sparse() throws {
        let added = #"[{"path":"m/1.png","type":"image/png"}]"#
        for media in ["[]", "[ ]", "null"] {
            let json = #"{"id":"a","title":"A","questions":[{"id":"q","text":"","media":\#(media)}]}"#
            #expect(try changed(json, adding: "m/1.png", to: "q") == json.replacing(":\(media)}", with: ":\(added)}"))
            #expect(try changed(json, removing: "m/1.png", from: "q") == json)
        }
        let fault = #expect(throws: DocumentFault.self) {
            try changed(#"{"id":"a","title":"A","questions":[]}"#, adding: "m/1.png", to: "q")
        }
        #expect(fault?.description.contains("“q”") == true)
    }

    // MARK: On its way

    private func change(_ owner: String, digest: String = hex) throws(DocumentFault) -> MediaChange {
        try MediaChange(
            file: Array(
                """
                {"id": "11111111-1111-4111-8111-111111111111", \(owner), "questionId": "q1", "questionnaire": "a",
                 "name": "photo.png", "mediaType": "image/png", "sizeBytes": 5, "digest": "sha256:\(digest)",
                 "dateChanged": "2026-11-21T04:51:00.000Z"}
                """.utf8))
    }

    @Test("what waits names its test, as ever, or the path in its questionnaire; written and read it is the same")
    func owners() throws {
        let test = "22222222-2222-4222-8222-222222222222"
        #expect(try change("\"test\": \"\(test)\"").owner == .test(try #require(TestID(test))))
        let path = try #require(ContentPath("media/\(Self.hex).png"))
        let change = try change("\"path\": \"\(path)\"")
        #expect(change.owner == .questionnaire(path))
        let written = try DocumentCoding.encode(change)
        #expect(try MediaChange(file: written) == change)
        #expect(!String(decoding: written, as: UTF8.self).contains("\"test\""))
    }

    @Test(
        "what names neither, or other content, is refused by name",
        arguments: [
            ("\"x\": 1", hex, "test"), ("\"path\": \"media/a.png\"", hex, "path"), ("\"path\": 7", hex, "path"),
            ("\"path\": \"media/\(hex).png\"", String(repeating: "0b", count: 32), "path"),
        ])
    func refused(_ owner: String, _ digest: String, _ field: String) {
        let fault = #expect(throws: DocumentFault.self) { try change(owner, digest: digest) }
        #expect(fault?.field == field)
    }
}
