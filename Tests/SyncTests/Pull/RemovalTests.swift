import CacheStore
import Disk
import Foundation
import Model
import Quire
import Simulation
import Sync
import Testing

/// A row of the table that the app's rule is tested against, too.
private struct RemovalCase: Decodable, CustomTestStringConvertible {
    var `case`: String
    /// Hours since the first list that lacked it; `nil` where the last one named it.
    var here: [String: Double?]
    var listed: [String]
    var removed: [String]
    var held: [String]

    var testDescription: String { self.case }

    static let all: [RemovalCase] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "../Vectors/removals.json")
        guard let data = try? Data(contentsOf: file) else { return [] }
        return (try? JSONDecoder().decode([RemovalCase].self, from: data)) ?? []
    }()
}

@Suite("What a list no longer names")
struct RemovalTests {
    @Test("is removed by a plausible list alone", arguments: RemovalCase.all)
    fileprivate func rule(_ row: RemovalCase) {
        let now = ManualClock.start
        let here = row.here.mapValues { hours in hours.map { now.adding(seconds: -$0 * 3600) } }
        let decision = RemovalDecision.decide(here: here, listed: Set(row.listed), now: now)
        #expect(decision.removed == Set(row.removed))
        #expect(decision.held == Set(row.held))
        let forced = RemovalDecision.decide(here: here, listed: Set(row.listed), now: now, isForced: true)
        #expect(forced.removed == Set(row.here.keys).subtracting(row.listed) && forced.held.isEmpty)
    }

    @Test("the table is there")
    func table() { #expect(RemovalCase.all.count > 10) }

    private let ids = ["a", "b", "c", "d", "e", "f"]

    private func filled() async throws -> Device {
        let device = try Device()
        for id in ids { device.remote.publish(id, document(id)) }
        try await device.pull()
        return device
    }

    private func library(_ device: Device) throws -> [String] { try device.store.library().map(\.id).sorted() }

    @Test("an empty list removes nothing, not even days later, unless a person says so")
    func emptyList() async throws {
        let device = try await filled()
        for id in ids { device.remote.withdraw(id) }
        for _ in 0..<3 {
            let report = try await device.pull()
            #expect(report.removed.isEmpty && report.held.sorted() == ids)
            #expect(try library(device) == ids)
            #expect(device.store.journal.contact()?.heldRemovals == 6)
            device.clock.advance(by: .seconds(2 * 86_400))
        }
        let opened = try await device.store.open(id: "a", remote: nil, isOffline: true)
        #expect(opened.questionnaire.id == "a")
        #expect(try device.store.library().allSatisfy { $0.freshness(now: device.clock.now) == .gone })
        #expect(try await device.pull(.init(confirmsRemovals: true)).removed.sorted() == ids)
        #expect(try library(device).isEmpty)
        #expect(device.store.journal.contact()?.heldRemovals == 0)
    }

    @Test("a much shorter list removes what one of a day later lacks, too, whatever process asks")
    func shorterList() async throws {
        let device = try await filled()
        for id in ids.dropFirst(2) { device.remote.withdraw(id) }
        #expect(try await device.pull().held.sorted() == ["c", "d", "e", "f"])
        device.clock.advance(by: .seconds(12 * 3600))
        device.remote.publish("c", document("c"))
        #expect(try await device.pull().held.sorted() == ["d", "e", "f"])
        #expect(try device.store.library().first { $0.id == "c" }?.freshness(now: device.clock.now) == .fresh)
        device.clock.advance(by: .seconds(12 * 3600))
        let report = try await device.reopened().puller(device.remote).pull()
        #expect(report.removed.sorted() == ["d", "e", "f"] && report.held.isEmpty)
        #expect(try library(device) == ["a", "b", "c"])
    }

    @Test("what is kept gives its room to nothing else of that list")
    func room() async throws {
        let device = try Device(quotaBytes: 96 << 10)
        for id in ids.prefix(3) { device.remote.publish(id, document(id, padding: 9000)) }
        try await device.pull()
        for id in ids.prefix(3) { device.remote.withdraw(id) }
        for number in 0..<8 { device.remote.publish("new-\(number)", document("new-\(number)", padding: 9000)) }
        try await device.pull()
        let report = try await device.pull()
        #expect(report.held.sorted() == ["a", "b", "c"] && !report.noRoom.isEmpty)
        #expect(try library(device).prefix(3) == ["a", "b", "c"])
    }

    @Test("a picture that one which stays shows, too, stays when another goes")
    func sharedPicture() async throws {
        let device = try Device()
        let shown =
            #"{"id": "ID", "title": "T", "questions": [{"id": "q1", "text": "?", "media": [{"path": "media/p.png"}]}]}"#
        for id in ["a", "b", "c"] {
            device.remote.publish(
                id, shown.replacing("ID", with: id), media: [FaultyRemote.origin + "/v1/questionnaires/media/p.png"])
        }
        let url = FaultyRemote.origin + "/v1/questionnaires/media/p.png"
        device.remote.publish(url: url, bytes: [1, 2, 3])
        try await device.pull()
        try device.store.setFavorite("b", title: "T", true)
        device.remote.withdraw("a")
        device.remote.withdraw("b")
        device.remote.withdraw("c")
        for number in 0..<9 { device.remote.publish("x-\(number)", document("x-\(number)")) }
        try await device.pull()
        #expect(try device.store.cache.entry(url: url).value != nil)
        device.clock.advance(by: .seconds(86_400))
        let report = try await device.pull()
        #expect(report.removed.sorted() == ["a", "c"] && report.keptThoughGone == ["b"])
        #expect(try device.store.cache.entry(url: url).value != nil)
    }
}
