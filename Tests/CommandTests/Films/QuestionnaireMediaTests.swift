import Foundation
import Testing

/// From the command of one device to the cache of another, with a real host in between.
@Suite("Files that are attached to questionnaires")
struct QuestionnaireMediaTests {
    private let folder: TemporaryFolder
    private let host: HostProcess

    init() throws {
        folder = try TemporaryFolder()
        host = try HostProcess(folder: folder.path, isRestarted: true)
        try host.publish(Questionnaire(id: "a", title: "First"))
        try host.start()
    }

    private func file(_ name: String, bytes count: Int) throws -> String {
        try Files.film("\(folder.path)/\(name)", bytes: count)
    }

    private func sum(_ path: String) throws -> String {
        String(try Command.run("sha256sum", path, in: folder.path).prefix(64))
    }

    /// What devices sent; the host's own pictures have other names.
    private var arrived: [String] {
        Files.names(in: host.questionnaires + "/media", suffix: "").filter { $0.prefix { $0 != "." }.count == 64 }
    }

    private func media(_ device: Device, _ id: String) throws -> [String] {
        try device.json("show", id)["questions"].elements.flatMap(\.["media"].elements).compactMap { $0["path"].text }
    }

    /// The digests of what a device's cache has under such a name.
    private func cached(_ device: Device, _ name: String) throws -> [String] {
        try device.json("cache", "ls").elements.filter {
            $0["url"].text?.hasSuffix("/v1/questionnaires/media/\(name)") == true
        }
        .compactMap { $0["blob"].text }.map { try sum("\(device.store)/\($0)") }
    }

    @Test(
        "attached offline to one that was made, one that was downloaded: shown at once, sent once, and on every device")
    func whole() throws {
        let device = try Device(folder.path, of: host)
        let other = try Device(folder.path, name: "other", of: host)
        try host.stop()
        let photo = try file("photo.JPEG", bytes: 300_000)
        let name = try sum(photo) + ".jpg"
        let mine = try #require(try device.json("new", "--from", "\(host.questionnaires)/a.json")["id"].text)
        for id in ["a", mine] {
            let made = try device.json("attach", id, "q1", photo)
            #expect(made["id"].text == id && made["status"].text == "done" && made["change"].text != nil)
            #expect(made["attachment"]["path"].text == "media/\(name)")
            #expect(made["attachment"]["mediaType"].text == "image/jpeg")
            // Again, it is the same one.
            let again = try device.json("attach", id, "q1", photo)
            #expect(again["attachment"]["id"] == made["attachment"]["id"] && again["change"] == .null)
            #expect(try media(device, id) == ["media/\(name)"])
            #expect(try device.done("show", id).output.contains("photo.JPEG (Saved locally, waiting to be sent)"))
            let medium = try #require(made["attachment"]["id"].text)
            #expect(try device.done("why", medium).output.contains("waits for its questionnaire"))
            let refused = try device.quire("outbox", "discard", medium)
            #expect(refused.exitCode == 65 && refused.isOneSentence && refused.errors.contains("--remove"))
        }
        #expect(try device.json("status")["waiting"].whole == 5)
        #expect(try device.quire("doctor").exitCode == 0)
        let bytes = "\(device.store)/outbox/media/\(try sum(photo))"
        #expect(try Files.read(bytes) == Files.read(photo))

        try host.start()
        #expect(try device.json("sync")["sent"].whole == 5)
        #expect(arrived == [name])
        #expect(try sum("\(host.questionnaires)/media/\(name)") == sum(photo))
        let order = host.exchanges.filter { $0.method == "PUT" || $0.method == "PATCH" }.map(\.path)
        #expect(order.firstIndex { $0.hasSuffix(".jpg") } == 3, "\(order)")
        #expect(host.exchanges.count { $0.method == "PATCH" } == 1)
        #expect(try device.json("sync")["sent"].whole == 0)
        #expect(try device.done("show", mine).output.contains("photo.JPEG\n"))
        #expect(try device.quire("doctor").exitCode == 0)

        try other.done("pull")
        #expect(try cached(other, name) == [sum(photo)])
        try device.done("pull")
        try host.stop()
        // Without a network it is there on both, from the cache alone.
        #expect(try cached(device, name) == [sum(photo)])
        #expect(try media(other, "a") == ["media/\(name)"])
    }

    @Test("what cannot be attached is refused in one sentence, and leaves nothing behind")
    func refused() throws {
        let device = try Device(folder.path, of: host)
        let photo = try file("photo.jpg", bytes: 1000)
        let odd = try file("photo.odd", bytes: 1000)
        for (id, question, file, words) in [
            ("a", "nowhere", photo, "no such question"), ("a", "q1", odd, "--type"),
            ("a", "q1", folder.path + "/missing.jpg", "no such file"), ("a", "q1", "/dev/zero", "device"),
            ("zzz", "q1", photo, "neither a test nor a questionnaire"),
        ] {
            let outcome = try device.quire("attach", id, question, file)
            #expect(outcome.exitCode == 65 && outcome.isOneSentence && outcome.errors.contains(words), "\(outcome)")
        }
        #expect(try device.quire("attach", "a", "q1", "photo.jpg", "--remove").exitCode == 65)
        #expect(Files.names(in: device.store + "/outbox/media", suffix: "").isEmpty)
        #expect(Files.names(in: device.store + "/outbox/done", suffix: "").isEmpty)
        #expect(Files.names(in: device.store + "/outbox/tmp", suffix: "").isEmpty)
        // With its type stated it is valid.
        #expect(
            try device.json("attach", "a", "q1", odd, "--type", "image/png")["attachment"]["path"].text?.hasSuffix(
                ".png")
                == true)
        try device.done("attach", "a", "q1", "photo.odd", "--remove")
        #expect(try media(device, "a").isEmpty)
        #expect(try device.json("sync")["sent"].whole == 2)
        #expect(arrived.isEmpty && Files.names(in: device.store + "/outbox/media", suffix: "").isEmpty)
        #expect(try device.quire("doctor").exitCode == 0)
    }

    @Test("another device that pulls before the file has come says so, and has it with a later pull")
    func early() throws {
        // Longer than what is held in memory.
        let size = 12_000_000
        let proxy = try CuttingProxy(to: host.listeningPort, .init(cutEveryBytes: 4_000_000))
        let device = Device(folder.path)
        try device.done("init", "--remote", proxy.address)
        try device.done("pull")
        let other = try Device(folder.path, name: "other", of: host)
        let film = try file("film.mp4", bytes: size)
        try device.done("attach", "a", "q1", film)
        // The questionnaire gets through, its film in parts.
        let first = try device.quire("sync", "--json")
        proxy.end()
        let name = try sum(film) + ".mp4"
        if arrived.isEmpty {
            #expect(first.exitCode == 75)
            let pull = try other.quire("pull")
            #expect(pull.exitCode != 0 && (pull.output + pull.errors).contains(name), "\(pull)")
        }
        try device.done("remote", "set", host.address)
        #expect(try device.quire("sync", "--now", "--json").exitCode == 0)
        #expect(arrived == [name])
        try other.done("pull")
        #expect(try cached(other, name) == [sum(film)])
        #expect(try other.quire("doctor").exitCode == 0)
        #expect(Files.names(in: host.data + "/uploads", suffix: "").isEmpty)
    }

    @Test(
        "cut after the host stored the last byte and before the reply: one file, and the next sync learns the receipt")
    func lostReply() throws {
        let size = 1_500_000
        let proxy = try CuttingProxy(to: host.listeningPort, .init(losesReplyAfterBytes: size))
        defer { proxy.end() }
        let device = Device(folder.path)
        try device.done("init", "--remote", proxy.address)
        try device.done("pull")
        let film = try file("film.mp4", bytes: size)
        let medium = try #require(try device.json("attach", "a", "q1", film)["attachment"]["id"].text)
        _ = try device.quire("sync", "--json")
        #expect(try device.quire("sync", "--now", "--json").exitCode == 0)
        #expect(proxy.cuts == 1)
        #expect(arrived == [try sum(film) + ".mp4"])
        #expect(Double(proxy.uploadedBytes) < 1.1 * Double(size))
        #expect(
            try JSON(file: device.receiptPath(medium, "sent"))
                == JSON(file: "\(host.data)/receipts/\(medium).receipt.json"))
        #expect(Files.names(in: host.data + "/uploads", suffix: "").isEmpty)
        #expect(try device.quire("doctor").exitCode == 0)
    }

    @Test("an archive takes it along, and what lies in a folder already goes to a server all the same, once")
    func carried() throws {
        let device = try Device(folder.path, of: host)
        let photo = try file("photo.png", bytes: 50_000)
        try device.done("attach", "a", "q1", photo)
        let stick = folder.path + "/stick"
        try FileManager.default.createDirectory(atPath: stick, withIntermediateDirectories: true)
        try device.done("remote", "set", "file://" + stick)
        let waiting = try device.quire("sync", "--json")
        #expect(waiting.exitCode == 75, "\(waiting)")
        #expect(try waiting.json()["waiting"].whole == 2 && waiting.json()["kept"].whole == 2)
        #expect(try device.quire("doctor").exitCode == 0)
        try device.done("outbox", "export", folder.path + "/outbox.tar")
        let other = try Device(folder.path, name: "other", of: host)
        try other.done("outbox", "import", folder.path + "/outbox.tar")
        // The host has neither, whatever the folder has.
        #expect(try other.json("sync", "--now")["sent"].whole == 2)
        #expect(arrived == [try sum(photo) + ".png"])
        // From both it is one.
        try device.done("remote", "set", host.address)
        #expect(try device.quire("sync", "--now", "--json").json()["sent"].whole == 2)
        #expect(arrived.count == 1 && host.exchanges.count { $0.method == "PATCH" } == 1)
    }

    @Test(
        "one that is too long for the host is not accepted, with the reason; by another way it gets there all the same")
    func tooLong() throws {
        try host.stop()
        try host.start("--media-limit", "10kB")
        let device = try Device(folder.path, of: host)
        let photo = try file("photo.png", bytes: 50_000)
        let medium = try #require(try device.json("attach", "a", "q1", photo)["attachment"]["id"].text)
        let outcome = try device.quire("sync", "--json")
        #expect(outcome.exitCode == 65)
        let first = try outcome.json()
        #expect(first["sent"].whole == 1 && first["rejected"].whole == 1)
        #expect(try device.done("why", medium).output.contains("10000 are taken here"))
        let stick = folder.path + "/stick"
        try FileManager.default.createDirectory(atPath: stick, withIntermediateDirectories: true)
        try device.done("remote", "set", "file://" + stick)
        try device.done("outbox", "retry", medium)
        #expect(try device.quire("sync", "--json").json()["kept"].whole == 1)
        try host.stop()
        let collected = try device.done(
            "host", "--data", host.data, "--questionnaires", host.questionnaires, "--collect", stick)
        #expect(collected.output.contains("1 attachment"), "\(collected)")
        #expect(arrived == [try sum(photo) + ".png"])
        #expect(Files.names(in: stick + "/attachments", suffix: "").isEmpty)
        #expect(try device.json("sync")["sent"].whole == 1)
        #expect(Files.exists(device.receiptPath(medium, "sent")))
        #expect(try device.quire("doctor").exitCode == 0)
    }

    @Test("the host away, a hub keeps the questionnaire and its file, says so, and hands both on once")
    func hub() throws {
        let hub = HubProcess(folder: folder.path, upstream: host.address, port: try SteadyPort.next())
        try hub.start()
        let device = Device(folder.path)
        try device.done("init", "--remote", hub.address)
        try device.done("pull")
        let film = try file("film.mp4", bytes: 2_000_000)
        let medium = try #require(try device.json("attach", "a", "q1", film)["attachment"]["id"].text)
        host.kill()
        let kept = try device.quire("sync", "--json")
        #expect(kept.exitCode == 75, "\(kept)")
        let report = try kept.json()
        #expect(report["kept"].whole == 2 && report["sent"].whole == 0, "\(kept)")
        #expect(try device.done("why", medium).output.contains("Kept at the hub"))
        hub.kill()
        try hub.start()
        #expect(Files.names(in: hub.store + "/outbox/media", suffix: "") == [try sum(film)])
        try host.start()
        try wait(for: "the delivery") { try hub.status()["attachments"]["delivered"].whole == 1 ? true : nil }
        #expect(arrived == [try sum(film) + ".mp4"])
        #expect(try device.json("sync")["sent"].whole == 2)
        #expect(
            try JSON(file: device.receiptPath(medium, "sent"))
                == JSON(file: "\(host.data)/receipts/\(medium).receipt.json"))
        #expect(host.exchanges.count { $0.method == "PATCH" } == 1)
        // Through the hub another device gets both.
        let other = Device(folder.path, name: "other")
        try other.done("init", "--remote", hub.address)
        try other.done("pull")
        #expect(try cached(other, try sum(film) + ".mp4") == [sum(film)])
        #expect(try device.json("doctor") == .array([]))
        #expect(try hub.stop().exitCode == 0)
    }
}
