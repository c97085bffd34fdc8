import Disk
import Model
import Simulation
import SystemPackage
import Testing

@Suite("A damaged file is put aside, never lost")
struct QuarantineTests {
    @Test("it lies there whole, with the reason beside it", arguments: DiskKind.allCases)
    func taken(_ kind: DiskKind) throws {
        try kind.run { ground in
            try ground.files.makeFolder("store")
            let quarantine = Quarantine(fileSystem: ground.files, folder: "quarantine", clock: ManualClock())
            for content in ["first", "second"] {
                try ground.put("store/a.json", content)
                let place = try #require(try quarantine.take("store/a.json", reason: "it is not JSON"))
                #expect(try ground.text(place) == content)
                #expect(try ground.text(FilePath(place.string + ".reason.txt")) == "store/a.json: it is not JSON\n")
            }
            #expect(try ground.names("store") == [])
            #expect(try ground.names("quarantine").count == 4)
            #expect(try quarantine.take("store/a.json", reason: "gone") == nil)
            #expect(try ground.names("quarantine").count == 4)
        }
    }

    @Test(
        "whatever goes wrong, and after every crash, the file is whole in one place or the other",
        arguments: AtomicWriteTests.faults)
    func faults(_ fault: Fault) throws {
        for number in 1... {
            let disk = SimulatedDisk()
            try disk.put("store/a.json", "damaged")
            let files = disk.process()
            disk.plan(fault, at: number)
            let quarantine = Quarantine(fileSystem: files, folder: "quarantine", clock: disk.clock)
            let failure = reason { try quarantine.take("store/a.json", reason: "it is not JSON") }
            #expect(failure != .interrupted)
            for state in disk.allCrashStates(limit: 60, seed: UInt64(number)) {
                let copies = state.disk.dump().filter {
                    $0.kind == .regular && $0.path.hasSuffix("a.json") && $0.bytes == bytes("damaged")
                }
                #expect(!copies.isEmpty, "call \(number): \(state)")
                if failure == nil {
                    #expect(copies.count == 1 && copies.allSatisfy { $0.path.hasPrefix("quarantine/") }, "\(state)")
                }
            }
            if files.isAlive { #expect(files.openFileCount == 0) }
            if disk.firedFaults.isEmpty {
                #expect(failure == nil)
                break
            }
        }
    }
}
