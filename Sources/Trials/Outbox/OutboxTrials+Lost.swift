import Disk
import Model
import OutboxStore
import Simulation

/// A server that was restored from an older backup.
extension OutboxTrials {
    static let lost: [Trial] = [
        // Its steps are those of a sweep's settling, where each sync is taken out; so they are not taken out here again.
        .outbox("sending again what the server lost (outbox retry --lost)", isDurable: false) { world in
            let ids = try (0..<2).map { _ in try world.person().create(.done, Person.answers("Paris", "Рим")) }
            try await world.sweep()
            world.remote.loseTests(Set(ids))
            for id in ids { world.ledger.change(id) { $0.isLostByServer = true } }
            return ids
        } act: { world, files, ids in
            let outbox = world.outbox(files)
            for id in ids {
                world.ledger.place(nil, [id])
                try outbox.queue.resend(id)
                world.ledger.place(.done, [id])
            }
        },
        // The quarantine is made once. The first receipt's move becomes durable with that of the second test.
        .outbox(
            "forgetting what was delivered (outbox forget)",
            needless: NeedlessSyncs { path, number in path.isEmpty ? number > 1 : [7, 8].contains(number) }
        ) { world in
            let ids = try (0..<2).map { _ in try world.person().create(.done, Person.answers("Paris", "Рим")) }
            try await world.sweep()
            return ids
        } act: { world, files, ids in
            for id in ids {
                world.ledger.change(id) {
                    $0.mayBeGone = true
                    $0.place = nil
                }
            }
            let later = world.disk.clock.now.adding(seconds: 3600)
            let report = try world.outbox(files).retention.forget(deliveredBefore: later, to: .quarantine)
            for id in report.forgotten {
                world.ledger.change(id) {
                    $0.isGone = true
                    $0.isReceiptGone = true
                }
            }
        },
    ]
}
