import Model
import OutboxStore
import Simulation

enum ChangeTrials {
    static let all: [Trial] =
        [
            .outbox("a questionnaire that is created on a new device") { world, files, _ in
                try world.add(world.outbox(files), .create, questionnaire: world.ledger.nextName())
            },
            .outbox("a favourite beside a test", isDurable: false) { world in
                world.remote.publish("mine", String(decoding: OutboxWorld.document, as: UTF8.self))
                return [try world.person().create(.done, Person.answers("Paris"))]
            } act: { world, files, _ in
                try world.add(world.outbox(files), .favorite)
            },
            .outbox("create, edit, sweep with the replies lost, sweep", isDurable: false) { world, files, _ in
                let outbox = world.outbox(files)
                // A repetition makes another one.
                let name = world.ledger.nextName()
                let first = try world.add(outbox, .create, questionnaire: name)
                try world.add(outbox, .edit, questionnaire: name, after: first)
                world.remote.respond { $0.change == nil ? nil : .cutAfterStoring }
                for _ in 0..<3 {
                    _ = try await world.sweeper(files).sweep()
                    world.disk.clock.advance(by: .seconds(7200))
                    world.remote.respond { _ in nil }
                }
            },
            .outbox("taking back what was created and edited", isDurable: false) { world, files, _ in
                let outbox = world.outbox(files)
                let first = try world.add(outbox, .create)
                let ids = [first, try world.add(outbox, .edit, after: first)]
                world.ledger.changes.withLock { for id in ids { $0[id] = .mayBeGone } }
                if try outbox.localChanges.takeBack(ids, reason: "deleted") {
                    world.ledger.changes.withLock { for id in ids { $0[id] = .isGone } }
                }
            },
            .outbox("a change that meets another version", isDurable: false) { world in
                let id = try await world.conflict()
                try world.outbox().edits.retry(id)
                return []
            } act: { world, files, _ in
                _ = try await world.sweeper(files).sweep()
            },
        ]
        + ConflictChoice.allCases.map { choice in
            .outbox("settling a conflict: \(choice.rawValue)", isDurable: false) { world in
                _ = try await world.conflict()
                return []
            } act: { world, files, _ in
                let outbox = world.outbox(files)
                guard let id = try outbox.conflicts.all().first?.stored.item.id else { return }
                let made = try outbox.conflicts.resolve(id, choice, deviceID: Person.device)
                world.ledger.changes.withLock {
                    $0[id] = .isGone
                    if let made { $0[made.item.id] = .promised }
                }
            }
        }
}
