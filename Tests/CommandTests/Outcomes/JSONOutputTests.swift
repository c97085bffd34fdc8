import Foundation
import Testing

@Suite("A command's output for people is also available as JSON")
struct JSONOutputTests {
    private let folder: TemporaryFolder
    private let device: Device

    init() throws {
        folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "keyed", title: "Keyed"))
        try host.start()
        device = try Device(folder.path, of: host)
        host.kill()
    }

    @Test("marks, and the file of a questionnaire")
    func questionnaires() throws {
        #expect(try device.json("cache", "pin", "keyed") == JSON(parsing: #"{"id":"keyed","pinned":true}"#))
        #expect(try device.json("cache", "unpin", "keyed") == JSON(parsing: #"{"id":"keyed","pinned":false}"#))
        #expect(try device.json("favorite", "keyed") == JSON(parsing: #"{"id":"keyed","favorite":true}"#))
        #expect(try device.json("favorite", "keyed", "--off") == JSON(parsing: #"{"id":"keyed","favorite":false}"#))
        #expect(try device.json("cache", "path", "keyed")["file"].text == device.blobPath("keyed"))
    }

    @Test("the file of a test, when it is due again, and where it lies when it was discarded")
    func tests() throws {
        #expect(try device.json("outbox", "path")["folder"].text == device.store + "/outbox")
        let id = try device.take("keyed", answers: Questionnaire.rightAnswers)
        let path = try device.json("outbox", "path", id)[0]
        #expect(path["file"].text == device.testPath(id, "done"))
        #expect(path["status"].text == "done")
        #expect(try device.json("outbox", "retry", id) == JSON(parsing: #"{"id":"\#(id)","status":"done"}"#))
        let discarded = try device.json("outbox", "discard", id)
        #expect(discarded["reach"] == .null)
        #expect(try Files.exists(#require(discarded["file"].text)))
        #expect(device.tests("done").isEmpty)
    }
}
