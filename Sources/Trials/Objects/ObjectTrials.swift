import Disk
import ObjectStores
import Simulation
import SystemPackage

enum ObjectTrials {
    static let all: [Trial] =
        [objects, versions] + (1...ExchangeWorld.callCount).flatMap { [lostReply($0), lostRequest($0)] }

    private static let objects = Trial(
        .objects, "objects that are made once and deleted", isDurable: true,
        needless: NeedlessSyncs { path, number in
            // The name of the folder for temporary files need not last. A writer flushes its bytes before it names them; that they
            // are flushed once more is for files that were copied here.
            path.isEmpty && [1, 4].contains(number) || path == "left/object"
        }
    ) { renames in
        let world = ObjectWorld(renames: renames)
        try world.leaveUnfinished()
        return Attempt(
            disk: world.disk, act: { try await world.use(FolderObjectStore($0)) },
            check: { await world.after($0).brokenPromises() })
    }

    private static let versions = Trial(.objects, "a test, and a receipt that changes, in a bucket") { renames in
        try exchange(renames) { $0 }
    }

    private static func lostReply(_ number: Int) -> Trial {
        Trial(.objects, "the reply of call \(number) to a bucket is lost") { renames in
            try exchange(renames) { UnsteadyStore($0, failing: number, takesEffect: true) }
        }
    }

    private static func lostRequest(_ number: Int) -> Trial {
        Trial(.objects, "call \(number) to a bucket does not arrive") { renames in
            try exchange(renames) { UnsteadyStore($0, failing: number, takesEffect: false) }
        }
    }

    private static func exchange(
        _ renames: RenameDurability, _ wrap: @escaping @Sendable (FolderObjectStore) -> any ObjectStore
    ) throws -> Attempt {
        let world = try ExchangeWorld(renames: renames)
        return Attempt(
            disk: world.disk, act: { try await world.use(wrap(FolderObjectStore($0))) },
            check: { await world.after($0).brokenPromises() })
    }
}
