import Model
import OutboxStore
import Simulation
import Testing

@testable import Sync

@Suite("The order in which an outbox is sent")
struct SendingOrderTests {
    private static let cases: Range<UInt64> = 0..<400

    @Test(
        "everything that is not ready names the item that it waits for, or the refused one that a person decides about")
    func causes() throws {
        for seed in Self.cases {
            let outbox = GeneratedOutbox(seed: seed)
            for entry in outbox.waiting {
                switch outbox.standing(of: entry) {
                case .ready: break
                case .waiting(let item):
                    #expect(item.id != entry.item.id, "seed \(seed): \(entry)")
                    #expect(
                        !item.status.isDelivered || outbox.contents().published[item.id] == nil,
                        "seed \(seed): \(entry)")
                case .refused(let item):
                    #expect([.conflict, .rejected].contains(item.status), "seed \(seed): \(entry)")
                case .unwanted: Issue.record("seed \(seed): \(entry)")
                }
            }
        }
    }

    @Test("of the changes of one thing at most one is ready, beside those that follow a kept one")
    func rows() {
        for seed in Self.cases {
            let outbox = GeneratedOutbox(seed: seed)
            var ready: Set<String> = []
            for entry in outbox.waiting {
                guard case .change(let change) = entry.content, change.kind != .media,
                    outbox.standing(of: entry) == .ready
                else { continue }
                if case .questionnaire(let change) = change, outbox.order().base(of: change)?.after != nil { continue }
                #expect(
                    ready.insert("\(change.kind) \(change.questionnaire)").inserted, "seed \(seed): \(change.id)")
            }
        }
    }

    @Test("the order of the files in the folder does not matter")
    func shuffled() {
        for seed in Self.cases {
            let outbox = GeneratedOutbox(seed: seed)
            var contents = outbox.contents()
            var generator = SeededGenerator(seed: seed)
            contents.changes.shuffle(using: &generator)
            let order = SendingOrder(contents, keepsSuccessors: outbox.keepsSuccessors)
            for entry in outbox.waiting {
                #expect(outbox.standing(of: entry, order) == outbox.standing(of: entry), "seed \(seed): \(entry)")
            }
        }
    }

    @Test("a remote that keeps successors only makes more ready, and not after a change that it forgot")
    func successors() {
        for seed in Self.cases {
            var outbox = GeneratedOutbox(seed: seed)
            outbox.keepsSuccessors = false
            let (strict, contents) = (outbox.order(), outbox.contents())
            let open = SendingOrder(contents, keepsSuccessors: true)
            let forgetting = SendingOrder(contents, keepsSuccessors: true, forgotten: contents.kept)
            for entry in outbox.waiting {
                let standing = outbox.standing(of: entry, strict)
                if standing == .ready { #expect(outbox.standing(of: entry, open) == .ready, "seed \(seed): \(entry)") }
                #expect(outbox.standing(of: entry, forgetting) == standing, "seed \(seed): \(entry)")
            }
        }
    }

    @Test(
        "what is sent as it becomes ready all arrives, except behind a refusal, and each thing's changes in their order"
    )
    func progress() {
        for seed in Self.cases {
            var outbox = GeneratedOutbox(seed: seed)
            var last: [String: Int] = [:]
            while true {
                let ready = outbox.waiting.filter { outbox.standing(of: $0) == .ready }
                if ready.isEmpty { break }
                for entry in ready {
                    // What a hub or a folder keeps was sent in its turn before.
                    if !entry.isKept, case .change(let change) = entry.content, change.kind != .media {
                        let row = "\(change.kind) \(change.questionnaire)"
                        #expect(last[row] ?? -1 < change.sequence, "seed \(seed): \(change.id)")
                        last[row] = change.sequence
                    }
                    if case .test(let questionnaire) = entry.content {
                        #expect(!outbox.isUnknownToServer(questionnaire), "seed \(seed): \(entry)")
                    }
                }
                for entry in ready { outbox.deliver(entry.item.id) }
            }
            for entry in outbox.waiting {
                #expect(outbox.isBehindRefusal(entry), "seed \(seed): \(entry) waits for ever")
            }
        }
    }

    @Test("changes that follow each other in a circle, as made by hand, wait, and nothing hangs")
    func circle() throws {
        let ids = (1...2).map { GeneratedOutbox.id($0) }
        let items = ids.map { OutboxItem(id: $0, kind: .questionnaire, status: .done) }
        let changes = (0...1).map {
            SendingOrder.Contents.Change(
                item: items[$0], questionnaire: "q", action: .edit, sequence: $0, after: ids[1 - $0])
        }
        let order = SendingOrder(
            .init(changes: changes, items: [ids[0]: items[0], ids[1]: items[1]]), keepsSuccessors: false)
        for index in 0...1 {
            let change = GeneratedOutbox.edit(ids[index], "q", .edit, index, after: ids[1 - index])
            #expect(order.standing(of: change) == .waiting(items[1 - index]))
        }
    }
}

/// An outbox with a few questionnaires, their changes, favourites, tests and attachments, in any status that they can have.
private struct GeneratedOutbox {
    enum Content {
        case change(OutgoingChange)
        /// Of this questionnaire.
        case test(String)
    }

    struct Entry: CustomStringConvertible {
        var item: OutboxItem
        var content: Content
        var isKept = false

        var description: String { "\(item.kind) \(item.id) in \(item.status)" }
    }

    var entries: [Entry] = []
    var keepsSuccessors: Bool

    var waiting: [Entry] { entries.filter(\.item.status.isWaiting) }

    static func id(_ number: Int) -> TestID {
        let digits = String(number)
        return TestID("00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)
            ?? .random()
    }

    static func edit(
        _ id: TestID, _ questionnaire: String, _ action: ChangeAction, _ sequence: Int, after: TestID?
    ) -> OutgoingChange {
        .questionnaire(
            QuestionnaireChange(
                id: id, action: action, questionnaire: questionnaire, title: "", after: after,
                dateChanged: ManualClock.start, deviceId: "", sequence: sequence))
    }

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
        keepsSuccessors = chance(50)
        var number = 0
        func add(
            _ kind: OutboxKind, _ status: TestStatus, mayBeKept: Bool = true, _ content: (TestID, Int) -> Content
        ) -> TestID {
            number += 1
            let id = Self.id(number)
            var entry = Entry(item: OutboxItem(id: id, kind: kind, status: status), content: content(id, number))
            entry.isKept = status == .done && mayBeKept && chance(30)
            entries.append(entry)
            return id
        }
        for questionnaire in ["a", "b", "c"] {
            let isMadeHere = chance(50)
            var former: TestID?
            var mayBeKept = true
            // Delivered changes come first, then at most one refused, then those that wait.
            let delivered = Int.random(in: 0...2, using: &generator)
            let isRefused = chance(30)
            for place in 0..<Int.random(in: 0...5, using: &generator) {
                let status: TestStatus =
                    place < delivered
                    ? .sent
                    : place == delivered && isRefused
                        ? (chance(50) ? .conflict : .rejected) : chance(80) ? .done : .sending
                // An edit of a version that the device does not know by a change of its own follows none.
                let after = chance(80) ? former : nil
                let action: ChangeAction = isMadeHere && place == 0 ? .create : .edit
                former = add(.questionnaire, status, mayBeKept: mayBeKept) {
                    .change(Self.edit($0, questionnaire, action, $1, after: after))
                }
                // Nothing was sent past a change that is still here.
                mayBeKept = mayBeKept && (status == .sent || entries.last?.isKept == true)
            }
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                _ = add(.favorite, chance(70) ? .done : .sent) {
                    .change(
                        .favorite(
                            FavoriteChange(
                                id: $0, questionnaire: questionnaire, title: "", favorite: true,
                                dateChanged: ManualClock.start, deviceId: "", sequence: $1)))
                }
            }
            let statuses: [TestStatus] = [.inProgress, .done, .done, .sent, .rated, .conflict, .rejected]
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                let test = add(.test, statuses.randomElement(using: &generator) ?? .done) { _, _ in
                    .test(questionnaire)
                }
                guard chance(50) else { continue }
                _ = add(.media, chance(80) ? .done : .sent) { id, sequence in
                    let attachment = Attachment(
                        id: id, questionId: "q", name: "a.jpg", mediaType: "image/jpeg", sizeBytes: 1,
                        digest: Digest(sha256Of: []))
                    var media = MediaChange(
                        attachment, at: ContentPath(attachment.digest, mediaType: "image/jpeg"),
                        questionnaire: questionnaire, title: "", dateChanged: ManualClock.start, deviceId: "",
                        sequence: sequence)
                    media.owner = .test(test)
                    return .change(.media(media))
                }
            }
        }
    }

    func contents() -> SendingOrder.Contents {
        SendingOrder.Contents(
            changes: waiting.compactMap { entry in
                guard case .change(let change) = entry.content, change.kind != .media else { return nil }
                var after: TestID?
                if case .questionnaire(let questionnaire) = change { after = questionnaire.after }
                return .init(
                    item: entry.item, questionnaire: change.questionnaire, action: change.action,
                    sequence: change.sequence, after: after)
            },
            items: Dictionary(uniqueKeysWithValues: entries.map { ($0.item.id, $0.item) }),
            kept: Set(entries.filter(\.isKept).map(\.item.id)),
            published: Dictionary(
                uniqueKeysWithValues: entries.filter { $0.item.status == .sent }.map {
                    ($0.item.id, Publication(id: "server", etag: "\"1\""))
                }))
    }

    func order() -> SendingOrder { SendingOrder(contents(), keepsSuccessors: keepsSuccessors) }

    func standing(of entry: Entry, _ order: SendingOrder? = nil) -> SendingOrder.Standing {
        let order = order ?? self.order()
        return switch entry.content {
        case .change(let change): order.standing(of: change)
        case .test(let questionnaire): order.standing(ofTestOf: questionnaire)
        }
    }

    mutating func deliver(_ id: TestID) {
        guard let index = entries.firstIndex(where: { $0.item.id == id }) else { return }
        entries[index].item.status = .sent
        entries[index].isKept = false
    }

    /// Whether the questionnaire's creation waits here, and no hub has it.
    func isUnknownToServer(_ questionnaire: String) -> Bool {
        waiting.contains { entry in
            guard !entry.isKept, case .change(let change) = entry.content else { return false }
            return change.action == .create && change.questionnaire == questionnaire
        }
    }

    /// Whether a refused item, or a draft, lies before it.
    func isBehindRefusal(_ entry: Entry) -> Bool {
        switch standing(of: entry) {
        case .ready, .unwanted: return false
        case .refused: return true
        case .waiting(let item):
            guard item.status.isWaiting, let former = entries.first(where: { $0.item.id == item.id }) else {
                return item.status.isDraft
            }
            return isBehindRefusal(former)
        }
    }
}
