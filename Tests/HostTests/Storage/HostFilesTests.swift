import Disk
import InMemory
import Model
import Simulation
import SystemPackage
import Testing

@testable import Host

/// Where a host can keep its files.
enum HostFilesKind: String, CaseIterable, CustomTestStringConvertible {
    case folder, simulatedFolder, bucket

    var testDescription: String { rawValue }

    /// Runs a test on empty files, as two hosts of one place see them.
    func run(_ body: @escaping @Sendable (_ one: any HostFiles, _ other: any HostFiles) throws -> Void) async throws {
        switch self {
        case .folder:
            let fixture = try HostFixture()
            try fixture.makeFolder(fixture.data)
            let data = fixture.data
            try await offload {
                try body(HostFolder(POSIXFileSystem(root: data)), HostFolder(POSIXFileSystem(root: data)))
            }
        case .simulatedFolder:
            let disk = SimulatedDisk()
            try await offload { try body(HostFolder(disk.process()), HostFolder(disk.process())) }
        case .bucket:
            let store = MemoryObjectStore()
            try await offload { try body(HostBucket(store), HostBucket(store)) }
        }
    }
}

/// Runs the same at once on several threads that may block.
func atOnce<Result: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: Result.self) { group in
        for number in 0..<count { group.addTask { try await offload { try work(number) } } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

@Suite("The files of a host, in a folder and in a bucket")
struct HostFilesTests {
    @Test("a file that is written once stays as it is until it is removed", arguments: HostFilesKind.allCases)
    func once(_ kind: HostFilesKind) async throws {
        try await kind.run { one, other in
            let path: FilePath = "favorites/ada/a.json"
            #expect(try one.bytes(of: path, maximumBytes: 10) == nil)
            #expect(try one.names(in: "favorites/ada") == [])
            try one.remove(path)
            #expect(try one.putIfAbsent([1, 2], as: path))
            #expect(try !other.putIfAbsent([3], as: path))
            #expect(try other.bytes(of: path, maximumBytes: 10) == [1, 2])
            #expect(throws: FileError.self) { try other.bytes(of: path, maximumBytes: 1) }
            #expect(try other.putIfAbsent([4], as: "favorites/ada/b.json"))
            #expect(try other.putIfAbsent([5], as: "favorites/adam/c.json"))
            #expect(try one.names(in: "favorites/ada").sorted() == ["a.json", "b.json"])
            try other.remove(path)
            try other.remove(path)
            #expect(try one.names(in: "favorites/ada") == ["b.json"])
            #expect(try one.putIfAbsent([6], as: path))
        }
    }

    @Test("a file that is replaced has one current version, which every host sees", arguments: HostFilesKind.allCases)
    func replaced(_ kind: HostFilesKind) async throws {
        try await kind.run { one, other in
            let path: FilePath = "people/list.json"
            #expect(try one.current(path, maximumBytes: 10) == nil)
            #expect(try one.replace(path, [1], former: nil))
            // A writer that has not seen the first version does not replace it.
            #expect(try !other.replace(path, [9], former: nil))
            for byte in UInt8(2)..<15 {
                let former = try #require(try other.current(path, maximumBytes: 10))
                #expect(former.bytes == [byte - 1])
                #expect(try other.replace(path, [byte], former: former))
            }
            #expect(try one.current(path, maximumBytes: 10)?.bytes == [14])
            let names = try one.names(in: "people")
            #expect(names.isEmpty || names == ["list.json"])
        }
    }

    @Test("of writers that follow the same version in a bucket one wins, and a lost reply of one's own is no defeat")
    func race() async throws {
        let store = MemoryObjectStore()
        let path: FilePath = "people/list.json"
        let won = try await atOnce(16) { try HostBucket(store).replace(path, [UInt8($0)], former: nil) }
        #expect(won.count { $0 } == 1)
        try await offload {
            let current = try #require(try HostBucket(store).current(path, maximumBytes: 10))
            #expect(try HostBucket(store).replace(path, current.bytes, former: nil))
            #expect(try HostBucket(store).current(path, maximumBytes: 10) == current)
        }
    }
}
