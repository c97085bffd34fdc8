import Foundation
import Testing

@Suite("Attachments through the hub", .serialized, .enabled(if: Command.isInstalled("curl")))
struct HubAttachmentTests {
    private let folder: TemporaryFolder
    private let host: HostProcess

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path, isRestarted: true)
        try host.publish(Questionnaire(id: "a", title: "First"))
        try host.start()
    }

    private var arrived: [String] { Files.names(in: host.data + "/media", suffix: "") }

    private func sum(_ path: String) throws -> String {
        String(try Command.run("sha256sum", path, in: folder.path).prefix(64))
    }

    /// A device with a finished test that has a film.
    private func device(_ address: String, film: String) throws -> (Device, test: String, media: String) {
        let device = Device(folder.path)
        try device.done("init", "--remote", address)
        try device.done("pull")
        let test = try device.take("a", answers: "{}", isFinished: false)
        let media = try #require(try device.json("attach", test, "q1", film)["attachment"]["id"].text)
        try device.done("finish", test)
        return (device, test, media)
    }

    private func bytes(of hub: HubProcess) -> [String] { Files.names(in: hub.store + "/outbox/media", suffix: "") }

    @Test("the host away: cut again and again, and the hub killed, it is kept there completely, and forwarded once")
    func away() throws {
        let size = 24_000_000
        let hub = HubProcess(folder: folder.path, upstream: host.address, port: try SteadyPort.next())
        try hub.start()
        let running = try #require(hub.process?.identifier)
        let killing: @Sendable () -> Void = { kill(running, SIGKILL) }
        let proxy = try CuttingProxy(
            to: try #require(hub.address.split(separator: ":").last.flatMap { Int($0) }),
            .init(
                cutEveryBytes: 3_000_000,
                moments: [(size * 2 / 3, killing)]))
        defer { proxy.end() }
        let film = try Files.film(folder.path + "/film.mp4", bytes: size)
        let (device, test, media) = try device(proxy.address, film: film)
        host.kill()

        #expect(try device.quire("sync", "--json").exitCode == 75)
        hub.kill()
        try hub.start()
        // What was acknowledged of it is there: no more goes again than one crash may cost.
        let offset = try Command.run(
            "curl", "-sSI", "\(hub.address)/v1/uploads/\(media)", in: folder.path
        ).lowercased().split(whereSeparator: \.isNewline).first { $0.hasPrefix("upload-offset:") }
        #expect(try #require(offset?.split(separator: " ").last.flatMap { Int($0) }) >= size * 2 / 3 - 7_000_000)
        let sync = try device.quire("sync", "--now", "--json")
        #expect(sync.exitCode == 75, "\(sync)")
        let report = try sync.json()
        #expect(report["kept"].whole == 2 && report["sent"].whole == 0 && report["waiting"].whole == 2, "\(sync)")
        #expect(proxy.uploadedBytes < size + 8_000_000 && proxy.cuts > 3)
        #expect(try device.done("why", media).output.contains("Kept at the hub"))
        #expect(try device.quire("doctor").exitCode == 0)
        #expect(bytes(of: hub) == [try sum(film)])
        #expect(Files.names(in: hub.store + "/hub/uploads", suffix: "").isEmpty)
        hub.kill()
        try hub.start()
        #expect(try hub.status()["attachments"]["waiting"].whole == 1)
        // Asked again, it is the same; nothing is sent a second time.
        let before = proxy.uploadedBytes
        #expect(try device.quire("sync", "--now", "--json").json()["kept"].whole == 2)
        #expect(proxy.uploadedBytes - before < 20_000)

        try host.start()
        try wait(for: "the delivery") { try hub.status()["attachments"]["delivered"].whole == 1 ? true : nil }
        #expect(host.tests == [test])
        #expect(arrived == [try sum(film)])
        let order = host.exchanges.filter { $0.method == "PUT" && $0.status == 201 }.map(\.path)
        #expect(order == ["/v1/tests/\(test)", "/v1/tests/\(test)/media/\(media)"])
        try wait(for: "the hub's copy to go") { bytes(of: hub).isEmpty ? true : nil }
        #expect(try device.json("sync")["sent"].whole == 2)
        #expect(
            try JSON(file: device.receiptPath(media, "sent"))
                == JSON(file: "\(host.data)/receipts/\(media).receipt.json"))
        #expect(try device.json("sync")["sent"].whole == 0)
        #expect(host.exchanges.count { $0.method == "PATCH" } == 1)
        #expect(try hub.peakMemory() < 64 << 20)
        let quiet = Device(folder.path, name: "hub")
        #expect(try quiet.json("doctor") == .array([]))
        #expect(try device.json("doctor") == .array([]))
        #expect(try hub.stop().exitCode == 0)
    }

    @Test("the host there: it goes on up where the uplink broke off, and the device gets the host's own receipt")
    func there() throws {
        let size = 12_000_000
        let uplink = try CuttingProxy(to: host.listeningPort, .init(cutEveryBytes: 2_000_000))
        defer { uplink.end() }
        let hub = HubProcess(folder: folder.path, upstream: uplink.address)
        try hub.start()
        let film = try Files.film(folder.path + "/film.mp4", bytes: size)
        let (device, test, media) = try device(hub.address, film: film)
        try delivered(test, media, from: device)
        #expect(host.tests == [test])
        #expect(arrived == [try sum(film)])
        #expect(Double(uplink.uploadedBytes) < 1.1 * Double(size) && uplink.cuts > 3)
        #expect(
            try JSON(file: device.receiptPath(media, "sent"))
                == JSON(file: "\(host.data)/receipts/\(media).receipt.json"))
        try wait(for: "the hub's copy to go") { bytes(of: hub).isEmpty ? true : nil }
        // The same file again, with another test: the host has it, and no byte goes up.
        let again = try device.take("a", answers: "{}", isFinished: false)
        let second = try #require(try device.json("attach", again, "q1", film)["attachment"]["id"].text)
        try device.done("finish", again)
        let before = uplink.uploadedBytes
        try delivered(again, second, from: device)
        #expect(uplink.uploadedBytes - before < 20_000)
        #expect(try hub.stop().exitCode == 0)
    }

    /// Until the host's own receipts are here: where the uplink is slow, the hub says meanwhile that it keeps them.
    private func delivered(_ test: String, _ media: String, from device: Device) throws {
        try wait(for: "the host's receipts") { () -> Bool? in
            let sync = try device.quire("sync", "--now", "--json")
            #expect([0, 75].contains(sync.exitCode), "\(sync)")
            return device.tests("rated").contains(test) && Files.exists(device.receiptPath(media, "sent")) ? true : nil
        }
    }
}
