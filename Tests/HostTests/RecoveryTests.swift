import Disk
import Foundation
import Model
import Simulation
import SystemPackage
import Testing

@testable import Host

/// Promises 1 and 2 of the design: what was acknowledged is there, once, whatever happens.
@Suite("A delivery survives crashes")
struct RecoveryTests {
    /// An archive on a simulated disk, with the questionnaires on another one that never fails.
    private func archive(_ disk: SimulatedDisk) throws -> TestArchive {
        let shelf = SimulatedDisk()
        try shelf.put("colours.json", coloursJSON)
        let catalog = QuestionnaireCatalog(clock: disk.clock, logger: HostFixture.silence) { () throws(FileError) in
            shelf.process()
        }
        return TestArchive(
            fileSystem: disk.process(), catalog: catalog, clock: disk.clock, logger: HostFixture.silence)
    }

    private func disk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        for folder in ["tests", "receipts", "tmp"] { try disk.makeFolders(FilePath(folder)) }
        return disk
    }

    static let faults: [Fault] = [
        .powerCut, .killed, .shortWrite, .error(.ioError), .error(.noSpace), .error(.interrupted),
        .errorAfterEffect(.ioError),
    ]

    @Test(
        "an acknowledged test and its receipt are durable, and a retry after any fault is the same test",
        arguments: faults)
    func everyFault(_ fault: Fault) throws {
        let test = try TestFile()
        let submission = try TestSubmission(test.bytes, id: test.id)
        for number in 1... {
            let disk = try disk()
            disk.plan(fault, at: number)
            let delivery = try? archive(disk).store(submission)
            for state in disk.allCrashStates(limit: 20, seed: UInt64(number)) {
                let stored = state.disk.contents(HostLayout.test(test.id))
                #expect(stored == nil || stored == test.bytes, "call \(number): \(state)")
                if delivery != nil { #expect(stored == test.bytes, "call \(number): \(state)") }
                if case .stored(let receipt) = delivery {
                    #expect(state.disk.contents(HostLayout.receipt(test.id)) == receipt, "call \(number): \(state)")
                }
                let retry = try archive(state.disk)
                try retry.recover()
                if stored != nil {
                    let receipt = try #require(try retry.receipt(of: test.id), "call \(number): \(state)")
                    #expect(try retry.store(submission) == .known(receipt))
                } else {
                    let receipt = try retry.store(submission)
                    #expect(receipt == .stored(state.disk.contents(HostLayout.receipt(test.id)) ?? []))
                }
                #expect(state.disk.filePaths.count == 2, "call \(number): \(state.disk.filePaths)")
            }
            if disk.firedFaults.isEmpty { break }
        }
    }

    @Test("a receipt that a crash prevented is written at the next PUT, GET or start", arguments: 0..<3)
    func missingReceipt(_ healer: Int) async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        let test = try TestFile(answers: [Answer(questionId: "sky", value: .one("Blue"))])
        let first = try await fixture.serve { try await $0.deliver(test) }
        let path = fixture.data.appending("receipts/\(test.id).receipt.json")
        try await fixture.serve { client in
            try fixture.remove(path)
            switch healer {
            case 0: #expect(try await client.deliver(test).bytes == first.bytes)
            case 1: #expect(try await client.get("/v1/tests/\(test.id)").bytes == first.bytes)
            default: break
            }
        }
        if healer == 2 { try await fixture.serve { _ in } }
        #expect(try fixture.bytes(path) == first.bytes)
    }

    @Test("temporary files of a dead host are removed at the start")
    func abandonedFiles() async throws {
        let fixture = try HostFixture()
        try await fixture.serve { _ in }
        let path = fixture.data.appending("tmp/t1.tmp")
        try Data("half".utf8).write(to: URL(fileURLWithPath: path.string))
        try await fixture.serve { _ in }
        #expect(try fixture.names(fixture.data.appending("tmp")).isEmpty)
    }

    @Test("a second host on the same data is rejected, with advice")
    func lock() async throws {
        let fixture = try HostFixture()
        try await fixture.serve { _ in
            #expect(throws: HostError.dataInUse(fixture.data)) { try fixture.host().open() }
        }
        #expect(throws: Never.self) { try fixture.host().open() }
        #expect(HostError.dataInUse("/x").description.contains("--data"))
    }

    @Test("a damaged receipt is reported and not sent, and the others still are")
    func damagedReceipt() async throws {
        let fixture = try HostFixture()
        let (damaged, whole) = (try TestFile(), try TestFile())
        try await fixture.serve { client in
            _ = try await client.deliver(damaged)
            _ = try await client.deliver(whole)
            let path = fixture.data.appending("receipts/\(damaged.id).receipt.json")
            try Data("{".utf8).write(to: URL(fileURLWithPath: path.string))
            let response = try await client.get("/v1/tests/\(damaged.id)")
            #expect(response.status == .internalServerError)
            #expect(try !response.problem().detail.contains("/"))
            #expect(try await client.get("/v1/tests/\(whole.id)").status == .ok)
            #expect(try await client.get("/v1/tests").text.contains(whole.id.description))
        }
        let restarted = try await fixture.serve { try await $0.get("/v1/") }
        #expect(restarted.status == .ok)
    }

    @Test("a number of changes that cannot be is damage of the register, and ends no host", arguments: [Int.max, -1])
    func damagedRegister(_ last: Int) async throws {
        let fixture = try HostFixture()
        try fixture.publish("colours.json", coloursJSON)
        try await fixture.serve { client in
            #expect(try await client.get("/v1/changes").status == .ok)
            let path = fixture.data.appending("register.json")
            let register = String(decoding: try fixture.bytes(path), as: UTF8.self)
            let damaged = register.replacing(/"sequence"\s*:\s*1/, with: "\"sequence\": \(last)")
            #expect(damaged != register)
            try Data(damaged.utf8).write(to: URL(fileURLWithPath: path.string))
            try fixture.publish("other.json", coloursJSON.replacing("\"colours\"", with: "\"other\""))
            #expect(try await client.get("/v1/changes").status == .internalServerError)
            #expect(try await client.get("/v1/").status == .ok)
        }
    }

    @Test("a full disk is 507: nothing is acknowledged, and the client tries again later")
    func fullDisk() throws {
        let disk = try disk()
        disk.capacityBytes = disk.usedBytes
        let test = try TestFile()
        let error = #expect(throws: FileError.self) {
            try archive(disk).store(try TestSubmission(test.bytes, id: test.id))
        }
        #expect(error?.isFull == true)
        #expect(disk.filePaths.isEmpty)
    }

    @Test("strange names among the tests are left alone and do no harm")
    func strangeNames() async throws {
        let fixture = try HostFixture()
        let test = try TestFile()
        try await fixture.serve { _ = try await $0.deliver(test) }
        let tests = fixture.data.appending("tests")
        for name in ["notes.txt", "\(TestID.random().description.uppercased()).test.json", ".x", "x.test.json"] {
            try Data("{}".utf8).write(to: URL(fileURLWithPath: tests.appending(name).string))
        }
        try fixture.makeFolder(tests.appending("\(TestID.random()).test.json"))
        let link = tests.appending("\(TestID.random()).test.json").string
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/etc/passwd")
        try Data("{".utf8).write(to: URL(fileURLWithPath: tests.appending("\(TestID.random()).test.json").string))
        let long = Data(count: TestSubmission.maximumBytes + 1)
        try long.write(to: URL(fileURLWithPath: tests.appending("\(TestID.random()).test.json").string))
        try await fixture.serve { client in
            let list = try await client.get("/v1/tests")
            #expect(list.status == .ok)
            #expect(list.text.contains(test.id.description))
            #expect(!list.text.contains("passwd"))
        }
        #expect(try fixture.archive().lists.list().tests.map(\.id) == [test.id])
    }
}
