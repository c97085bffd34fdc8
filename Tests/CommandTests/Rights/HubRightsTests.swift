import Foundation
import Testing

@Suite("Who may do what through a hub")
struct HubRightsTests {
    private let world: RightsWorld

    init() throws { world = try RightsWorld() }

    private func deletion() -> RightsWorld.Request {
        .init("DELETE", "/v1/questionnaires/a", ["Quire-Change: \(UUID().uuidString.lowercased())", "If-Match: *"])
    }

    /// The sentence and the marks of a refusal.
    private func refusal(
        _ request: RightsWorld.Request, _ sender: RightsWorld.Sender, _ hub: HubProcess
    ) throws -> Int {
        let text = try world.reply(request, sender, port: hub.port)
        #expect(text.contains("urn:quire:problem:") && text.contains("\"detail\""), "\(sender): \(text)")
        return Int(text.dropFirst(9).prefix(3)) ?? 0
    }

    private func waiting(_ hub: HubProcess) -> [String] {
        Files.names(in: hub.store + "/outbox/done", suffix: ".questionnaire.json")
    }

    @Test("only an author's change is accepted, with the host there or away, also by a hub that was killed meanwhile")
    func authors() throws {
        let hub = try world.startHub(with: .teacher)
        try world.waitForList(of: hub)
        let others: [RightsWorld.Sender] = [.none, .wrong, .revoked, .expired, .taker, .owner]
        for sender in others {
            #expect([401, 403].contains(try refusal(deletion(), sender, hub)), "\(sender)")
        }
        try world.host.stop()
        for isRestarted in [false, true] {
            if isRestarted {
                hub.kill()
                try hub.start()
            }
            for sender in others {
                #expect([401, 403].contains(try refusal(deletion(), sender, hub)), "\(sender)")
                let list = RightsWorld.Request("GET", "/v1/tests")
                #expect(try world.status(list, sender, port: hub.port) >= 400)
                #expect(try world.status(.init("GET", "/v1/access/keys"), sender, port: hub.port) >= 400)
            }
            #expect(waiting(hub).isEmpty)
        }
        #expect(try world.status(deletion(), .author, port: hub.port) == 202)
        #expect(waiting(hub).count == 1)
        #expect(Files.exists(world.host.questionnaires + "/a.json"))
        try world.host.start()
        let limit = Date.now.addingTimeInterval(patienceSeconds)
        while Files.exists(world.host.questionnaires + "/a.json") {
            guard Date.now < limit else { throw Unexpected("the deletion does not arrive") }
            usleep(20_000)
        }
    }

    @Test("a hub with a taker's key accepts an author's change offline after it has seen the key accepted")
    func seenBefore() throws {
        let hub = try world.startHub(with: .taker)
        #expect(try world.status(.init("GET", "/v1/favorites"), .author, port: hub.port) == 200)
        try world.host.stop()
        #expect(try world.status(deletion(), .author, port: hub.port) == 202)
        #expect(try refusal(deletion(), .admin, hub) == 403)
        #expect(waiting(hub).count == 1)
        let kept = try Files.text(hub.store + "/hub/keys.json")
        for key in world.keys.values { #expect(!kept.contains(key.suffix(40))) }
    }

    @Test("what a person's device delivers through a hub is that person's, and a device without a key delivers too")
    func persons() throws {
        let hub = try world.startHub(with: .taker)
        let (own, shared) = (
            try RightsWorld.Delivered(folder: world.folder.path), try RightsWorld.Delivered(folder: world.folder.path)
        )
        #expect(try world.status(own.put, .owner, port: hub.port) == 201)
        #expect(try world.status(shared.put, .revoked, port: hub.port) == 201)
        let owner = try JSON(file: "\(world.host.data)/owners/\(own.test).json")
        #expect(owner["person"].text == "alice")
        #expect(!Files.exists("\(world.host.data)/owners/\(shared.test).json"))
        for port in [hub.port, world.host.listeningPort] {
            for path in ["/v1/tests/\(own.test)", "/v1/tests/\(own.test)/media"] {
                #expect(try world.status(.init("GET", path), .owner, port: port) == 200)
                #expect(try world.status(.init("GET", path), .other, port: port) == 404)
            }
        }
        // Neither of them was kept for the others.
        #expect(try world.status(.init("GET", "/v1/tests/\(own.test)/media"), .none, port: hub.port) == 401)
    }

    @Test("favourites go with the device's own key, and with the hub's where it has none")
    func favorites() throws {
        let hub = try world.startHub(with: .taker)
        let change = "Quire-Change: \(UUID().uuidString.lowercased())"
        #expect(try world.status(.init("PUT", "/v1/favorites/a", [change]), .owner, port: hub.port) == 200)
        let list = RightsWorld.Request("GET", "/v1/favorites")
        #expect(try world.reply(list, .owner, port: hub.port).contains("\"a\""))
        for sender in [RightsWorld.Sender.other, .none] {
            #expect(try !world.reply(list, sender, port: hub.port).contains("\"a\""))
        }
    }
}
