import CacheStore
import Model
import Simulation
import Sync
import Testing
import WireFormat

@Suite("A pull of what has changed in the list")
struct ListChangesTests {
    private func device(_ count: Int = 10) async throws -> Device {
        let device = try Device(remote: FaultyRemote(clock: ManualClock(), pageSize: 3))
        device.remote.numberChanges("r1")
        for index in 0..<count { device.remote.publish("q-\(index)", document("q-\(index)")) }
        #expect(try await device.pull().new.count == count)
        device.remote.forgetRequests()
        return device
    }

    /// The requests for the list, without the address.
    private func questions(_ device: Device) -> [String] {
        device.remote.requests.compactMap { request in
            guard case .get(let url) = request.kind, url.hasPrefix(device.remote.listURL) else { return nil }
            let rest = url.dropFirst(device.remote.listURL.count)
            return rest.hasPrefix("/") ? nil : String(rest)
        }
    }

    @Test("what was changed and what is new comes by one short answer, again and again")
    func changed() async throws {
        let device = try await device()
        #expect(try await device.pull().unchanged == 10)
        #expect(device.remote.requests.count == 1 && questions(device) == ["?since=10&register=r1"])
        for round in 1...3 {
            device.remote.forgetRequests()
            device.remote.publish("q-4", document("q-4", title: "Version \(round)"))
            device.remote.publish("r-\(round)", document("r-\(round)"))
            let report = try await device.pull()
            #expect(report.updated == ["q-4"] && report.new == ["r-\(round)"] && report.removed == [])
            #expect(report.listed == 10 + round && report.held == [] && report.failed == [:])
            #expect(questions(device) == ["?since=10&register=r1"])
        }
        #expect(try device.store.library().count == 13)
        #expect(try device.store.library().first { $0.id == "q-4" }?.title == "Version 3")
    }

    @Test("only a whole list removes anything")
    func removed() async throws {
        let device = try await device()
        device.remote.withdraw("q-3")
        device.remote.publish("q-4", document("q-4", title: "Newer"))
        let report = try await device.pull()
        #expect(report.removed == ["q-3"] && report.updated == ["q-4"])
        #expect(questions(device) == ["?since=10&register=r1", "", "?cursor=3", "?cursor=6"])
        // That is the list that is stored now.
        device.remote.forgetRequests()
        #expect(try await device.pull().unchanged == 9)
        #expect(questions(device) == ["?since=12&register=r1"])
        // A list that lacks too much is not believed, whichever way it is asked for.
        for index in [0, 1, 2, 5, 6] { device.remote.withdraw("q-\(index)") }
        let implausible = try await device.pull()
        #expect(implausible.removed == [] && implausible.held.count == 5)
        // An answer of changes confirms no removal, but it says what the whole list says.
        #expect(try await device.pull().held.count == 5)
        #expect(try device.store.library().count == 9)
    }

    @Test("a host whose register is another one, or that has none any more, is asked for the whole list")
    func otherRegister() async throws {
        for register in ["r2", nil] {
            let device = try await device()
            device.remote.numberChanges(register)
            device.remote.publish("q-4", document("q-4", title: "Newer"))
            #expect(try await device.pull().updated == ["q-4"])
            #expect(questions(device).prefix(2) == ["?since=10&register=r1", ""])
            device.remote.forgetRequests()
            #expect(try await device.pull().unchanged == 10)
            #expect(questions(device) == [register == nil ? "" : "?since=11&register=r2"])
        }
    }

    @Test("a host that numbers no changes is asked as before")
    func oldHost() async throws {
        let device = try Device()
        device.remote.publish("a", document("a"))
        try await device.pull()
        device.remote.forgetRequests()
        #expect(try await device.pull().unchanged == 1)
        #expect(questions(device) == [""])
    }

    @Test(
        "where the question for changes fails, the whole list is asked for; away is away", arguments: [404, 500, 504])
    func refused(_ status: Int) async throws {
        let device = try await device()
        device.remote.publish("q-4", document("q-4", title: "Newer"))
        device.remote.respond { request in
            if case .get(let url) = request.kind, url.contains("?since=") { .status(status) } else { nil }
        }
        #expect(try await device.pull().updated == ["q-4"])
        #expect(questions(device).prefix(2) == ["?since=10&register=r1", ""])
    }

    @Test(
        "what is no list is not stored in its place, and what was stored of such a kind counts for nothing",
        arguments: ["{}", "OK", "", #"{"questionnaires":[{"id":5}]}"#, "[]"])
    func noList(_ text: String) async throws {
        let device = try await device()
        device.remote.respond { _ in .reply(200, mediaType: "application/json", body: Array(text.utf8)) }
        await #expect(throws: RemoteFailure.self) { try await device.pull() }
        // As an earlier version stored it, with the validator of the list of now.
        let url = device.remote.listURL
        let entry = try #require(try device.store.cache.entry(url: url).value)
        for isFormer in [false, true] {
            if isFormer {
                let arrival = Cache.Arrival(
                    url: url, bytes: Array(text.utf8), mediaType: "application/json", response: entry.response)
                try device.store.cache.store(arrival)
            }
            device.remote.respond { _ in nil }
            device.remote.forgetRequests()
            #expect(try await device.pull().unchanged == 10)
            #expect(questions(device).first == (isFormer ? "" : "?since=10&register=r1"))
        }
    }

    @Test("a file that changed without its questionnaire is no change of the register, and comes all the same")
    func media() async throws {
        let device = try Device(remote: FaultyRemote(clock: ManualClock(), pageSize: 3))
        device.remote.numberChanges("r1")
        device.remote.setList(mediaDigests: true)
        let url = device.remote.listURL + "/media/a.png"
        device.remote.publish(url: url, bytes: [1, 2, 3])
        let json =
            #"{"id":"a","title":"A","questions":[{"id":"q","text":"?","media":[{"path":"media/a.png","type":"image/png"}]}]}"#
        device.remote.publish("a", json, media: [url])
        try await device.pull()
        device.remote.publish(url: url, bytes: [4, 5, 6])
        device.remote.forgetRequests()
        try await device.pull()
        #expect(questions(device) == ["?since=1&register=r1", ""])
        #expect(try device.store.cache.entry(url: url).value?.digest == Digest(sha256Of: [4, 5, 6]))
    }

    @Test("the state of a list, for other programs")
    func state() {
        var state = ListState()
        state.add(id: "a", digest: Digest(sha256Of: [1]), mediaDigests: nil)
        state.add(
            id: "b", digest: Digest(sha256Of: [2]),
            mediaDigests: ["y": Digest(sha256Of: [3]), "x": Digest(sha256Of: [4])])
        let text =
            "a\0\(Digest(sha256Of: [1]))\0\nb\0\(Digest(sha256Of: [2]))\0x\0\(Digest(sha256Of: [4]))\0y\0"
            + "\(Digest(sha256Of: [3]))\0\n"
        #expect(state.digest() == Digest(sha256Of: text.utf8))
    }
}
