import Disk
import Model
import OutboxStore
import Quire
import Simulation
import Sync
import Testing

/// Questionnaires and favourites on their way: their order, and conflicts.
@Suite("Questionnaires and favourites on their way to the server")
struct ChangeTests {
    private func created(_ device: Device, _ title: String = "Mine") throws -> String {
        try device.store.create(Array(document("x", title: title).utf8)).id
    }

    private func edit(_ device: Device, _ id: String, title: String) async throws {
        let opened = try await device.store.open(id: id, remote: nil, isOffline: true)
        let text = String(decoding: opened.bytes, as: UTF8.self)
            .replacing("\"title\": \"\(opened.questionnaire.title)\"", with: "\"title\": \"\(title)\"")
        try device.store.edit(opened, to: Array(text.utf8))
    }

    private func titles(_ device: Device) throws -> [String] { try device.store.library().map(\.title) }

    @Test("what is made here is listed, found and taken at once, and keeps its id when the server gives it another")
    func lifeOfOne() async throws {
        let device = try Device()
        device.remote.setPresence(.away("no route"))
        let id = try created(device)
        #expect(try device.store.library().map(\.id) == [id])
        #expect(try device.store.library().first?.freshness(now: device.clock.now).name == "unsent")
        #expect(try device.store.search("is it so").map(\.item.id) == [id])
        let test = try await device.finish(id)
        let report = try await device.sweep()
        #expect(report.isUnreachable && report.waiting == 2)

        device.remote.setPresence(.likely)
        let sent = try await device.sweep()
        #expect(sent.sent.count == 2 && sent.waiting == 0)
        // The questionnaire before the test that names it.
        let deliveries = device.remote.requests.filter { $0.change != nil || $0.test != nil }
        #expect(deliveries.map { $0.test == nil } == [true, false])
        #expect(device.remote.tests.keys.contains(test))
        #expect(device.remote.listed == ["made-1"])

        try await device.pull()
        let item = try #require(try device.store.library().first)
        #expect(try device.store.library().count == 1)
        #expect(item.id == id && item.serverId == "made-1")
        for name in [id, "made-1"] {
            let opened = try await device.store.open(id: name, remote: device.remote)
            #expect(opened.questionnaire.id == "made-1" && opened.permanentID == id)
        }
    }

    @Test("a draft of what was made here survives its sending, and is found under both ids")
    func draft() async throws {
        let device = try Device()
        let id = try created(device)
        let begun = try device.store.begin(try await device.store.open(id: id, remote: nil))
        try await device.sweep()
        try await device.pull()
        for name in [id, "made-1"] {
            #expect(try device.store.draft(ofQuestionnaire: name)?.record.id == begun.record.id)
        }
        #expect(try device.store.questionnaire(of: begun.record)?.id == id)
        #expect(try device.store.library().first?.drafts == [begun.record.id])
    }

    @Test("a reply that was lost ends in one of it on the server, and its receipt here", arguments: [0, 1, 2, 3])
    func lostReply(_ kind: Int) async throws {
        let device = try Device()
        device.remote.publish("a", document("a"))
        try await device.pull()
        switch kind {
        case 0: _ = try created(device)
        case 1: try await edit(device, "a", title: "Edited")
        case 2: try device.store.delete(try await device.store.open(id: "a", remote: nil))
        default: try device.store.setFavorite("a", title: "Title", true)
        }
        device.remote.respond { $0.change != nil ? .cutAfterStoring : nil }
        let first = try await device.sweep()
        #expect(first.sent.isEmpty && first.waiting == 1)
        device.remote.respond { _ in nil }
        device.clock.advance(by: .seconds(10))
        let second = try await device.sweep()
        #expect(second.sent.count == 1 && second.conflicts.isEmpty && second.waiting == 0)
        #expect(device.remote.carriedOut.count == 1)
        let item = try #require(try device.store.outbox.changes().first?.item)
        #expect(item.status == .sent)
        #expect(try device.store.outbox.receipt(item)?.published != nil)
    }

    @Test("an edit shows at once, is sent with its base, and several go one after the other")
    func edits() async throws {
        let device = try Device()
        device.remote.publish("a", document("a"))
        try await device.pull()
        try await edit(device, "a", title: "One")
        try await edit(device, "a", title: "Two")
        #expect(try titles(device) == ["Two"])
        let report = try await device.sweep()
        #expect(report.sent.count == 2 && report.conflicts.isEmpty)
        #expect(try Questionnaire(json: try #require(device.remote.document("a"))).title == "Two")
        // Until the cache has it, what was sent is shown.
        #expect(try titles(device) == ["Two"])
        try await device.pull()
        #expect(try titles(device) == ["Two"])
        #expect(try device.store.library().first?.freshness(now: device.clock.now).name == "fresh")
        // From then on the server's newer version counts.
        device.remote.publish("a", document("a", title: "Three"))
        device.clock.advance(by: .seconds(120))
        try await device.pull()
        #expect(try titles(device) == ["Three"])
    }

    @Test("a change of a document that was changed here after it was opened is refused, and undoes nothing")
    func staleChange() async throws {
        let device = try Device()
        device.remote.publish("a", document("a"))
        try await device.pull()
        let stale = try await device.store.open(id: "a", remote: nil, isOffline: true)
        try await edit(device, "a", title: "One")
        let mine = Array(document("a", title: "Two").utf8)
        #expect(throws: StoreError.changedSince(id: "a")) { try device.store.edit(stale, to: mine) }
        #expect(throws: StoreError.changedSince(id: "a")) { try device.store.delete(stale) }
        #expect(try titles(device) == ["One"])
        // Also after it was sent; a later reading continues from that.
        try await device.sweep()
        #expect(throws: StoreError.changedSince(id: "a")) { try device.store.edit(stale, to: mine) }
        try await edit(device, "a", title: "Two")
        #expect(try titles(device) == ["Two"])

        let id = try created(device)
        let gone = try await device.store.open(id: id, remote: nil)
        #expect(try device.store.delete(gone) == nil)
        #expect(throws: StoreError.changedSince(id: id)) { try device.store.edit(gone, to: gone.bytes) }
        #expect(try titles(device) == ["Two"])
    }

    @Test(
        "what was made here and is deleted elsewhere goes with the next pull, whether the cache ever had it or not",
        arguments: [true, false])
    func deletedElsewhere(_ wasCached: Bool) async throws {
        let device = try Device()
        let id = try created(device)
        try await device.sweep()
        device.clock.advance(by: .seconds(60))
        #expect(try device.store.library().map(\.id) == [id])
        if wasCached { try await device.pull() }
        #expect(try device.store.library().map(\.id) == [id])
        let server = try #require(device.remote.listed.first)
        device.remote.withdraw(server)
        device.remote.publish("other", document("other"))
        device.clock.advance(by: .seconds(60))
        try await device.pull()
        #expect(try device.store.library().map(\.id) == ["other"])
        await #expect(throws: StoreError.self) {
            try await device.store.open(id: id, remote: nil, isOffline: true)
        }
    }

    @Test("what was created and may have arrived, and was edited since, is deleted by a deletion that is sent")
    func deletedAfterALostReply() async throws {
        let device = try Device()
        let id = try created(device)
        device.remote.respond { _ in .cutAfterStoring }
        _ = try? await device.sweep()
        device.remote.respond { _ in nil }
        try await edit(device, id, title: "Edited")
        let deletion = try device.store.delete(try await device.store.open(id: id, remote: nil))
        #expect(deletion != nil)
        #expect(try device.store.library().isEmpty)
        device.clock.advance(by: .seconds(7200))
        #expect(try await device.sweep().waiting == 0)
        try await device.pull()
        #expect(try device.store.library().isEmpty)
        #expect(try device.store.outbox.changes().allSatisfy(\.item.status.isDelivered))
    }

    @Test("what was created, edited and deleted before anybody heard of it is not sent, and lies in quarantine")
    func cancelsOut() async throws {
        let device = try Device()
        let id = try created(device)
        try await edit(device, id, title: "Edited")
        #expect(try device.store.delete(try await device.store.open(id: id, remote: nil)) == nil)
        #expect(try device.store.library().isEmpty)
        device.remote.forgetRequests()
        #expect(try await device.sweep().waiting == 0)
        #expect(device.remote.requests.isEmpty)
        let kept = device.disk.filePaths.filter { $0.hasPrefix("quarantine/") && $0.hasSuffix(".questionnaire.json") }
        #expect(kept.count == 2)

        // Once it may have arrived, the server is informed.
        let second = try created(device)
        device.remote.respond { $0.change != nil ? .cutAfterStoring : nil }
        try await device.sweep()
        device.remote.respond { _ in nil }
        let deletion = try device.store.delete(try await device.store.open(id: second, remote: nil))
        #expect(deletion != nil)
        #expect(try device.store.library().isEmpty)
        device.clock.advance(by: .seconds(10))
        #expect(try await device.sweep().sent.count == 2)
        #expect(device.remote.listed.isEmpty)
    }

    @Test("a favourite that is set and unset again is not spoken of; one that is set is the server's too")
    func favorites() async throws {
        let device = try Device()
        device.remote.publish("a", document("a"))
        try await device.pull()
        try device.store.setFavorite("a", title: "Title", true)
        try device.store.setFavorite("a", title: "Title", true)
        try device.store.setFavorite("a", title: "Title", false)
        device.remote.forgetRequests()
        #expect(try await device.sweep().waiting == 0)
        #expect(device.remote.requests.isEmpty)
        try device.store.setFavorite("a", title: "Title", true)
        try await device.sweep()
        #expect(device.remote.favorites == ["a"])
        try device.store.setFavorite("a", title: "Title", false)
        try await device.sweep()
        #expect(device.remote.favorites.isEmpty && device.remote.carriedOut.count == 2)
    }

    @Test("a bad change holds up neither tests nor other changes; changes based on it wait")
    func oneBad() async throws {
        let device = try Device()
        device.remote.publish("a", document("a"))
        try await device.pull()
        let bad = try created(device, "Bad")
        try await edit(device, bad, title: "Still bad")
        _ = try created(device, "Good")
        let test = try await device.finish("a")
        let refused = try #require(try device.store.outbox.changes().first?.item.id)
        device.remote.respond { $0.change == refused ? .status(422, detail: "no") : nil }
        let report = try await device.sweep()
        #expect(report.sent.count == 2 && report.rejected == [refused] && report.waiting == 1)
        #expect(try device.status(test) == .sent)
        #expect(device.remote.listed == ["a", "made-1"])
        // Tried again after all, both go.
        device.remote.respond { _ in nil }
        try device.store.outbox.edits.retry(refused)
        #expect(try await device.sweep().sent.count == 2)
    }

    // MARK: Conflicts

    /// A device whose edit meets another version.
    private func conflicting(
        _ policy: ConflictPolicy? = nil, deletedThere: Bool = false
    ) async throws -> (Device, QuireStore) {
        let device = try Device()
        device.remote.publish("a", document("a"))
        try await device.pull()
        try await edit(device, "a", title: "Mine")
        if deletedThere {
            device.remote.withdraw("a")
        } else {
            device.remote.publish("a", document("a", title: "Theirs"))
        }
        guard let policy else { return (device, device.store) }
        var settings = device.store.settings
        settings.conflicts = policy
        try device.store.save(settings)
        return (device, try device.reopened())
    }

    private func quarantined(_ device: Device, _ suffix: String) -> [String] {
        device.disk.filePaths.filter { $0.hasPrefix("quarantine/") && $0.hasSuffix(suffix) }
    }

    @Test("a conflict keeps both versions side by side, shows the difference, and waits for the person")
    func ask() async throws {
        let (device, store) = try await conflicting()
        let report = try await device.sweep()
        #expect(report.conflicts.count == 1 && report.sent.isEmpty && report.waiting == 0)
        let conflict = try #require(try store.conflicts().first)
        #expect(conflict.differences.map(\.field) == ["title"])
        #expect(
            conflict.differences.first?.mine == .string("Mine")
                && conflict.differences.first?.theirs == .string("Theirs"))
        #expect(device.disk.contents(OutboxLayout.theirsPath(conflict.id)) != nil)
        #expect(try titles(device) == ["Mine"])
        #expect(try Questionnaire(json: try #require(device.remote.document("a"))).title == "Theirs")
        #expect(try await device.sweep().sent.isEmpty)
    }

    @Test(
        "the person's choice is carried out, and the other version lies in quarantine",
        arguments: ConflictChoice.allCases)
    func choices(_ choice: ConflictChoice) async throws {
        let (device, store) = try await conflicting()
        let id = try #require(try await device.sweep().conflicts.first)
        try store.resolve(id.description, choice)
        #expect(try store.conflicts().isEmpty)
        let report = try await device.sweep()
        #expect(report.conflicts.isEmpty && report.waiting == 0)
        let server = try Questionnaire(json: try #require(device.remote.document("a"))).title
        switch choice {
        case .mine:
            #expect(server == "Mine")
            #expect(quarantined(device, "\(id).theirs.json").count == 1)
        case .theirs:
            #expect(server == "Theirs")
            #expect(quarantined(device, "\(id).questionnaire.json").count == 1)
        case .both:
            #expect(server == "Theirs")
            #expect(try Questionnaire(json: try #require(device.remote.document("made-1"))).title == "Mine")
        }
        // Until the next pull, too.
        if choice == .mine { #expect(try titles(device) == ["Mine"]) }
        try await device.pull()
        #expect(
            Set(try titles(device))
                == (choice == .mine ? ["Mine"] : choice == .theirs ? ["Theirs"] : ["Mine", "Theirs"]))
    }

    @Test("each rule settles a conflict in the same sweep", arguments: ConflictPolicy.allCases)
    func rules(_ policy: ConflictPolicy) async throws {
        let (device, store) = try await conflicting(policy)
        let report = try await store.sweeper(device.remote).sweep()
        #expect(report.conflicts.count == (policy == .ask ? 1 : 0))
        let server = try Questionnaire(json: try #require(device.remote.document("a"))).title
        #expect(server == (policy == .client ? "Mine" : "Theirs"))
        #expect(device.remote.listed.count == (policy == .duplicate ? 2 : 1))
        #expect(quarantined(device, ".theirs.json").count == (policy == .client ? 1 : 0))
        #expect(quarantined(device, ".questionnaire.json").count == (policy == .ask ? 0 : 1))
    }

    @Test(
        "an edit of what the server has deleted is shown to the person, who keeps it or lets it go",
        arguments: [true, false])
    func deletedThere(_ keeps: Bool) async throws {
        let (device, store) = try await conflicting(deletedThere: true)
        let id = try #require(try await device.sweep().conflicts.first)
        let conflict = try #require(try store.conflicts().first)
        #expect(conflict.isDeletedThere)
        try store.resolve(id.description, keeps ? .mine : .theirs)
        try await device.sweep()
        #expect((device.remote.document("a") != nil) == keeps)
    }

    @Test("clocks that are years apart decide nothing")
    func clocks() async throws {
        let (device, store) = try await conflicting()
        device.clock.setWallTime(device.clock.now.adding(seconds: 5 * 365 * 86_400))
        #expect(try await device.sweep().conflicts.count == 1)
        #expect(try store.conflicts().count == 1)
    }
}
