import Disk
import Host
import Simulation

extension Workload {
    static let host = Workload(
        area: .host, name: "three deliveries of the same tests, a teacher, and a start", seedCount: 200
    ) { seed in
        let world = HostWorld(renames: .atomic)
        if seed % 2 == 0 { try world.publish() }
        let archive = world.archive()
        try archive.makeFolders()
        try world.deliver(archive, HostWorld.submission(9))
        world.disk.settle()
        let schedule = Interleaving(world.disk, seed: seed, killsOneIn: seed % 3 == 0 ? 0 : 60)
        for client in 0..<3 {
            schedule.add { files in
                let archive = world.archive(files)
                for number in [client, 1, 2] {
                    // Killed: the client hears nothing and asks again.
                    try? world.deliver(archive, HostWorld.submission(number + 1))
                }
            }
        }
        schedule.add { files in
            for score in [3.0, 5.0] { try? world.rate(world.archive(files), 9, score: score) }
        }
        schedule.add { files in
            let archive = world.archive(files)
            try? archive.makeFolders()
            try? archive.recover()
        }
        return Crowd(disk: world.disk, schedule: schedule, check: { world.after($0).brokenPromises() })
    }
}
