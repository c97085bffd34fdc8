import HTTPTypes
import HummingbirdTesting
import Model
import OutboxStore
import Quire
import ServedApplication
import Simulation
import Testing

@testable import Web

@Suite("Pictures that were attached to questionnaires here, on the page")
struct AttachedPictureTests {
    private let png = Array("\u{89}PNG\r\n".utf8) + (0..<70_000).map { UInt8($0 % 251) }

    @Test("it is shown at once, from the outbox, and as well when it was sent", arguments: Way.allCases)
    func shown(_ way: Way) async throws {
        let fixture = try await PageFixture()
        let store = fixture.store
        let opened = try await store.open(id: "capitals", remote: nil, isOffline: true)
        var pieces = [png]
        let spooled = try store.outbox.media.spool(named: "map.png") { pieces.popLast() ?? [] }
        _ = try store.questionnaireAttachments.attach(
            spooled, to: opened, questionId: "q1", name: "map.png", mediaType: nil)
        let test = try store.begin(try await store.open(id: "capitals", remote: nil, isOffline: true)).record
        for isSent in [false, true] {
            if isSent {
                fixture.remote.setPresence(.likely)
                #expect(try await store.sweeper(fixture.remote).sweep().sent.count == 2)
            }
            try await fixture.serve(way, isOnline: isSent) { browser, _ in
                let page = try await browser.get("/t/\(test.id)")
                #expect(try await browser.get("/outbox").text.contains("<p>map.png</p>") == !isSent)
                let address = "/media/\(test.questionnaire.digest.hex)/0/0/capitals/\(test.id)"
                #expect(page.text.contains("src=\"\(address)\""), "\(page.text)")
                let whole = try await browser.get(address)
                #expect(whole.status == .ok && Array(whole.body.readableBytesView) == png)
                #expect(whole.headers[.contentType] == "image/png")
                #expect(whole.headers[.xContentTypeOptions] == "nosniff")
                // A file that the question does not name is visible to no one.
                #expect(
                    try await browser.get("/media/\(test.questionnaire.digest.hex)/1/0/capitals/\(test.id)").status
                        == .notFound)
            }
        }
    }
}
