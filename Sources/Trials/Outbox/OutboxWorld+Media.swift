import Disk
import Model
import OutboxStore
import Simulation

/// Attachments: the replies to a person about them, and whether they hold.
extension OutboxWorld {
    /// Longer than one piece of an upload.
    static let picture = (0..<2500).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    /// Two sweeps: in the first one an upload is cut off in the middle of it.
    func sweepCutOff(_ files: any FileSystem) async throws {
        remote.respond { request in
            if case .upload(_, let offset?) = request.kind, offset > 0 { return .cutAfterStoring }
            return nil
        }
        for _ in 0..<2 {
            _ = try await sweeper(files).sweep()
            disk.clock.advance(by: .seconds(7200))
            remote.respond { _ in nil }
        }
    }

    /// Attaches the picture to a draft; from when this returns it must be with the test.
    func attach(_ outbox: Outbox, to test: TestID) throws {
        let made = try outbox.edits.attach(
            try spooledPicture(outbox), to: test, questionId: "q0", name: "picture.png", mediaType: "image/png")
        ledger.attached.withLock { _ = $0.insert(test) }
        ledger.change(test) { $0.place = made.test.status }
    }

    private func spooledPicture(_ outbox: Outbox) throws -> SpooledMedia {
        var isRead = false
        return try outbox.media.spool(named: "picture.png") {
            defer { isRead = true }
            return isRead ? [] : Self.picture
        }
    }

    /// Makes a questionnaire that shows the picture; from when this returns both must reach the server.
    func show(_ outbox: Outbox) throws {
        let path = ContentPath(Digest(sha256Of: Self.picture), mediaType: "image/png")
        // A repetition makes another one.
        let name = ledger.nextName()
        let medium = QuestionnaireMedium(
            path: path, questionnaire: name, title: "Mine", questionId: "q0", name: "picture.png",
            mediaType: "image/png")
        let document = """
            {"id": "\(name)", "title": "Mine", "questions": [
             {"id": "q0", "text": "?", "media": [{"path": "\(path)", "type": "image/png"}]}]}
            """
        let made = try outbox.localChanges.attach(try spooledPicture(outbox), medium, deviceID: Person.device) {
            { id, now, sequence in
                .questionnaire(
                    QuestionnaireChange(
                        id: id, action: .create, questionnaire: name, title: "Mine", dateChanged: now,
                        deviceId: Person.device, sequence: sequence, document: Array(document.utf8)))
            }
        }
        if let change = made.change { ledger.changes.withLock { $0[change.item.id] = .promised } }
        ledger.shown.withLock { _ = $0.insert(made.medium.item.id) }
    }

    /// The promises after recovery, with or without a network.
    func brokenAttachments(_ outbox: Outbox) throws -> [String] {
        var broken: [String] = []
        let digest = Digest(sha256Of: Self.picture)
        for test in ledger.attached.withLock({ $0 }) {
            guard let item = try outbox.find(test), item.kind == .test else { continue }
            let record = try outbox.read(item).record
            guard record.attachments.map(\.digest) == [digest] else {
                broken.append("\(test) names \(record.attachments.count) attachments, and one was attached")
                continue
            }
            let medium = try outbox.find(record.attachments[0].id)
            if medium?.status.isDelivered == true { continue }
            if disk.contents(OutboxLayout.mediaPath(digest)) != Self.picture {
                broken.append("the bytes of \(test)'s attachment are not there")
            }
            if !item.status.isDraft, medium == nil { broken.append("\(test) is finished, and nothing waits for it") }
        }
        for id in ledger.shown.withLock({ $0 }) {
            guard let item = try outbox.find(id) else {
                broken.append("what waits for the picture of a questionnaire is lost: \(id)")
                continue
            }
            if item.status.isDelivered { continue }
            if disk.contents(OutboxLayout.mediaPath(digest)) != Self.picture {
                broken.append("the bytes of a questionnaire's picture are not there")
            }
        }
        let naming = try outbox.namingChanges()
        for stored in try outbox.changes(.media) where !stored.item.status.isDelivered {
            guard case .media(let media) = stored.change, let path = media.owner.path else { continue }
            if !naming.isWanted(path) { broken.append("\(media.id) waits for a questionnaire that is not there") }
        }
        return broken
    }

    /// The promises after a request to a healthy host.
    func undeliveredAttachments(_ outbox: Outbox) throws -> [String] {
        var broken: [String] = []
        let digest = Digest(sha256Of: Self.picture)
        for test in ledger.attached.withLock({ $0 }) {
            guard let item = try outbox.find(test), item.status.isDelivered else { continue }
            for attachment in try outbox.read(item).record.attachments {
                let medium = try outbox.find(attachment.id)
                if medium?.status != .sent {
                    broken.append("the attachment of \(test) is in \(String(describing: medium))")
                }
                let receipt = try medium.flatMap { try outbox.receipt($0) }
                if receipt?.digest != digest { broken.append("the attachment of \(test) has no receipt") }
            }
            if remote.media[digest] != Self.picture {
                broken.append("the host has not the bytes of \(test)'s attachment")
            }
        }
        for id in ledger.shown.withLock({ $0 }) {
            let medium = try outbox.find(id)
            if medium?.status != .sent {
                broken.append("a questionnaire's picture is in \(String(describing: medium))")
            }
            let receipt = try medium.flatMap { try outbox.receipt($0) }
            if receipt?.digest != digest { broken.append("a questionnaire's picture has no receipt") }
            if remote.media[digest] != Self.picture { broken.append("the host has not a questionnaire's picture") }
        }
        return broken
    }
}
