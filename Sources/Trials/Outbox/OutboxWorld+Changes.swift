import Disk
import Model
import OutboxStore
import Simulation

/// Questionnaires and favourites: the replies to a person about them, and whether they hold.
extension OutboxWorld {
    static let document = Array("{\"id\": \"mine\", \"title\": \"Mine\", \"questions\": []}".utf8)

    /// Makes a change; from when this returns it must reach the server.
    @discardableResult
    func add(
        _ outbox: Outbox, _ action: ChangeAction, questionnaire: String = "mine", after: TestID? = nil
    ) throws -> TestID {
        let stored = try outbox.localChanges.add(deviceID: Person.device) { id, now, sequence in
            switch action {
            case .favorite, .unfavorite:
                .favorite(
                    FavoriteChange(
                        id: id, questionnaire: questionnaire, title: "Mine", favorite: action == .favorite,
                        dateChanged: now, deviceId: Person.device, sequence: sequence))
            case .attach: preconditionFailure("files are attached with their bytes")
            case .create, .edit, .delete:
                .questionnaire(
                    QuestionnaireChange(
                        id: id, action: action, questionnaire: questionnaire, title: "Mine",
                        base: after == nil && action != .create ? .init(etag: "\"former\"") : nil, after: after,
                        dateChanged: now, deviceId: Person.device, sequence: sequence,
                        document: action == .delete
                            ? nil : try QuestionnaireChange.document(Self.document, named: questionnaire)))
            }
        }
        ledger.changes.withLock { $0[stored.item.id] = .promised }
        return stored.item.id
    }

    /// The promises after a request to a healthy host.
    func brokenChanges(_ outbox: Outbox) throws -> [String] {
        var broken: [String] = []
        if Set(remote.carriedOut).count != remote.carriedOut.count { broken.append("a change was carried out twice") }
        for (id, promise) in ledger.changes.withLock({ $0 }) {
            let item = try outbox.find(id)
            let isQuarantined = disk.filePaths.contains {
                $0.hasPrefix("quarantine/") && $0.contains(id.description) && !$0.hasSuffix(".reason.txt")
            }
            switch promise {
            case .promised:
                if !remote.carriedOut.contains(id) { broken.append("change \(id) was saved and never carried out") }
                guard let item, item.status == .sent else {
                    broken.append("change \(id) was carried out and is in \(item?.status.rawValue ?? "no folder")")
                    continue
                }
                if try outbox.receipt(item)?.published == nil { broken.append("change \(id) has no receipt") }
            case .mayBeGone:
                if item == nil, !isQuarantined { broken.append("change \(id) is lost") }
            case .isGone:
                if item != nil { broken.append("change \(id) was taken back and is there") }
                if !isQuarantined { broken.append("change \(id) was taken back and is not in quarantine") }
                if remote.carriedOut.contains(id) { broken.append("change \(id) was taken back and carried out") }
            }
        }
        return broken
    }

    /// A change that met another version, with that version beside it.
    func conflict() async throws -> TestID {
        remote.publish("mine", "{\"id\": \"mine\", \"title\": \"Theirs\", \"questions\": []}")
        let id = try add(outbox(), .edit)
        try await sweep()
        ledger.changes.withLock { $0[id] = .mayBeGone }
        return id
    }
}
