import Disk
import Foundation
import InMemory
import Model
import MotoServer
import ObjectStores
import S3
import Simulation
import SystemPackage
import Testing

/// The stores that the contract of `ObjectStore` is run against.
enum ObjectStoreKind: String, CaseIterable, CustomTestStringConvertible {
    case folder, simulatedFolder, folderInMemory, memory, s3, named

    /// The bucket of a real store, with the variables of the AWS tools: `.ci/ceph` sets them.
    static let bucket = ProcessInfo.processInfo.environment["QUIRE_S3_BUCKET"].flatMap { $0.isEmpty ? nil : $0 }

    /// Those that can be had here.
    static var here: [ObjectStoreKind] {
        allCases.filter { ($0 != .s3 || MotoServer.isInstalled) && ($0 != .named || bucket != nil) }
    }

    var testDescription: String { rawValue }

    /// Runs a test on an empty store and cleans up behind it.
    func run(_ body: (any ObjectStore) async throws -> Void) async throws {
        switch self {
        case .s3:
            let store = try S3ObjectStore.onMoto()
            try await body(store)
            await store.shutdown()
        case .named:
            let store = try S3ObjectStore.named()
            try await body(store)
            await store.shutdown()
        case .memory: try await body(MemoryObjectStore())
        case .simulatedFolder:
            let files = SimulatedDisk().process()
            try await body(FolderObjectStore(files))
            await expectNoOpenFiles { files.openFileCount }
        case .folderInMemory:
            let files = MemoryFileSystem()
            try await body(FolderObjectStore(files))
            await expectNoOpenFiles { files.openFileCount }
        case .folder:
            try await withTemporaryFolder { root in
                try await body(FolderObjectStore(try POSIXFileSystem(root: root)))
            }
        }
    }
}

/// A file is closed with the last reference to its content, which another thread may release a moment later.
func expectNoOpenFiles(_ count: () -> Int) async {
    let limit = ContinuousClock.now + .seconds(60)
    while count() > 0, ContinuousClock.now < limit { await Task.yield() }
    #expect(count() == 0, "files were left open")
}

/// A real folder that is gone afterwards.
func withTemporaryFolder<Result>(_ body: (FilePath) async throws -> Result) async throws -> Result {
    let root = FilePath("/var/tmp/quire-objects-\(TestID.random())")
    try FileManager.default.createDirectory(atPath: root.string, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: root.string) }
    return try await body(root)
}

func name(_ text: String) throws -> ObjectName { try #require(ObjectName(text)) }

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension ObjectStore {
    func text(_ object: String) async throws -> String? {
        try await bytes(of: name(object), maximumBytes: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
    }

    func names(_ prefix: String = "", after: String? = nil, limit: Int = 1000) async throws -> [String] {
        let last = try after.map { try name($0) }
        return try await list(prefix: prefix, after: last, limit: limit).map(\.name.text)
    }
}

extension S3ObjectStore {
    /// A bucket of its own, with a prefix.
    static func onMoto() throws -> S3ObjectStore {
        let moto = try MotoServer.shared.get()
        let settings = try S3Settings(moto.environment)
        let bucket = try S3Bucket(
            short: "s3://\(moto.makeBucket())/a-prefix/of_two", endpoint: settings.endpoint, region: settings.region)
        return S3ObjectStore(bucket, settings, clock: SystemClock())
    }

    /// A prefix of its own in the bucket of `QUIRE_S3_BUCKET`.
    static func named() throws -> S3ObjectStore {
        let settings = try S3Settings(ProcessInfo.processInfo.environment)
        let bucket = try S3Bucket(
            short: "s3://\(#require(ObjectStoreKind.bucket))/contract/\(TestID.random())", endpoint: settings.endpoint,
            region: settings.region)
        return S3ObjectStore(bucket, settings, clock: SystemClock())
    }
}
