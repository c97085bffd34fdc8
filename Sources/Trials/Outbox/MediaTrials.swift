import Model
import OutboxStore
import Simulation

enum MediaTrials {
    static let all: [Trial] = [
        .outbox("attaching a picture to a draft") { world in
            [try world.person().create(.inProgress, Person.answers("Paris"))]
        } act: { world, files, ids in
            try world.attach(world.outbox(files), to: ids[0])
        },
        .outbox("finishing a test with a picture", isDurable: false) { world in
            let id = try world.person().create(.inProgress, Person.answers("Paris"))
            try world.attach(world.outbox(), to: id)
            return [id]
        } act: { world, files, ids in
            try world.person(files).finish(ids[0])
        },
        .outbox("a sweep of a test with a picture, cut off in the middle of it, and another", isDurable: false) {
            world in
            let id = try world.person().create(.inProgress, Person.answers("Paris"))
            try world.attach(world.outbox(), to: id)
            try world.person().finish(id)
            return [id]
        } act: { world, files, ids in
            world.ledger.place(nil, ids)
            try await world.sweepCutOff(files)
        },
        .outbox("attaching a picture to a questionnaire") { world, files, _ in
            try world.show(world.outbox(files))
        },
        .outbox("a sweep of a questionnaire with a picture, cut off in the middle of it, and another", isDurable: false)
        {
            world in
            try world.show(world.outbox())
            return []
        } act: { world, files, _ in
            try await world.sweepCutOff(files)
        },
        .outbox("giving free what was delivered", isDurable: false) { world in
            let id = try world.person().create(.inProgress, Person.answers("Paris"))
            try world.attach(world.outbox(), to: id)
            try world.person().finish(id)
            world.ledger.place(nil, [id])
            try await world.sweep()
            return [id]
        } act: { world, files, _ in
            try world.outbox(files).media.release(keepingBytes: 0)
        },
    ]
}
