import CacheStore
import Disk
import HTTPCaching
import Model
import Quire
import Simulation
import Sync
import Testing

@Suite("One file whose URL is written in several ways")
struct URLFormTests {
    private static let folder = FaultyRemote.origin + "/v1/questionnaires/media/"

    private func questionnaire(_ path: String) -> String {
        #"{"id": "a", "title": "T", "questions": [{"id": "q1", "text": "?", "media": [{"path": "media/\#(path)"}]}]}"#
    }

    @Test(
        "is transferred once, and found by the path in the document",
        arguments: [
            ("photo (1).jpg", "photo%20%281%29.jpg"), ("photo (1).jpg", "photo%20(1).jpg"), ("a+b.png", "a%2Bb.png"),
            ("a+b.png", "a%2bb.png"), ("схема.png", "%D1%81%D1%85%D0%B5%D0%BC%D0%B0.png"), ("a~b.png", "a%7Eb.png"),
            ("№ 1, 'x' & y!.png", "%E2%84%96%201%2C%20%27x%27%20%26%20y%21.png"), ("100%.png", "100%25.png"),
            ("photo #1.jpg", "photo%20%231.jpg"),
        ])
    func once(_ path: String, _ listed: String) async throws {
        let device = try Device()
        device.remote.publish("a", questionnaire(path), media: [Self.folder + listed])
        let normal = NormalURL.normalised(Self.folder + listed)
        device.remote.publish(url: normal, bytes: [1, 2, 3])
        let report = try await device.pull()
        #expect(report.failed.isEmpty)
        #expect(device.remote.requests.count { $0.url == normal } == 1)
        device.remote.forgetRequests()
        #expect(try await device.pull().unchanged == 1)
        #expect(device.remote.requests.count == 1)
        let place = try device.store.shownMedia.place(
            of: Media(path: "media/" + path), questionnaire: "a", remote: device.remote)
        #expect(place != nil)
    }

    @Test("what an earlier program kept under another spelling is shown, and renamed by a pull without a transfer")
    func earlierStore() async throws {
        let device = try Device()
        let json = questionnaire("photo (1).jpg")
        let former = Self.folder + "photo%20(1).jpg"
        let normal = Self.folder + "photo%20%281%29.jpg"
        device.remote.publish("a", json, media: [normal])
        device.remote.publish(url: normal, bytes: [1, 2, 3])
        let response = StoredResponse(
            status: 200, fields: [:], requestTime: device.clock.now, responseTime: device.clock.now)
        try device.store.cache.store(
            Cache.Arrival(url: former, bytes: [1, 2, 3], mediaType: "image/jpeg", response: response))
        let summary = DocumentSummary(try Questionnaire(json: Array(json.utf8)), media: [former])
        try device.store.cache.store(
            Cache.Arrival(
                url: device.remote.documentURL(id: "a"), bytes: Array(json.utf8), mediaType: "application/json",
                response: response, document: summary))
        let medium = Media(path: "media/photo (1).jpg")
        #expect(try device.store.shownMedia.place(of: medium, questionnaire: "a", remote: device.remote) != nil)

        let report = try await device.pull()
        #expect(report.unchanged == 1 && report.transferredBytes == 0)
        #expect(device.remote.requests.count == 1)
        #expect(try device.store.shownMedia.place(of: medium, questionnaire: "a", remote: device.remote) != nil)
        #expect(try device.store.cache.entry(url: former).value == nil)
        #expect(try device.store.cache.entry(url: normal).value != nil)
        #expect(try device.store.library().first?.document.media == [normal])
        #expect(try device.store.cache.survey.verify().isClean)
    }
}
