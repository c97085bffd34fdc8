import Disk
import Logging
import Model
import ObjectStores
import SystemPackage

/// Hosts that share a bucket: none of them keeps anything of its own.
extension ReferenceHost {
    /// Blocks on the store, but changes nothing in it.
    static func shared(
        _ store: any ObjectStore, _ configuration: HostConfiguration, clock: any StoreClock, logger: Logger
    ) throws -> TestArchive {
        let files = HostBucket(store)
        let log = QuestionnaireLog(files)
        let scratch = try ScratchFolder()
        let copies = try ScratchFolder()
        let source = configuration.questionnaires.map {
            QuestionnaireCatalog(folder: $0, clock: clock, logger: logger)
        }
        let mirror = QuestionnaireMirror(log, copies: copies, source: source, clock: clock, logger: logger)
        let catalog = QuestionnaireCatalog(
            clock: clock, logger: logger,
            versions: PublishedVersions(fileSystem: scratch.fileSystem, clock: clock, isWritable: false, log: log)
        ) { () throws(FileError) in try mirror.folder() }
        var archive = TestArchive(
            fileSystem: scratch.fileSystem, files: TestBucket(files), catalog: catalog, clock: clock, logger: logger)
        archive.release = configuration.release
        archive.shared = SharedPlace(files: files, scratch: scratch, log: log, mirror: mirror)
        return archive
    }

    /// The same for a bucket that a host has used.
    ///
    /// - Throws: `HostError.noData`, `FileError`.
    static func sharedArchive(
        _ store: any ObjectStore, _ configuration: HostConfiguration, clock: any StoreClock, logger: Logger
    ) throws -> TestArchive {
        // Commands publish nothing.
        var configuration = configuration
        configuration.questionnaires = nil
        let archive = try shared(store, configuration, clock: clock, logger: logger)
        guard try HostBucket(store).bytes(of: HostLayout.started, maximumBytes: 1 << 10) != nil else {
            throw HostError.noData(configuration.data)
        }
        return archive
    }

    /// Lets the store prove itself, publishes the folder of questionnaires, and makes the receipts that a crash prevented.
    static func prepare(_ archive: TestArchive, _ store: any ObjectStore) throws {
        let files = HostBucket(store)
        try BlockingCall.wait(store, "") { store throws(ObjectStoreError) in try await prove(store) }
        guard try files.bytes(of: ExchangeLayout.marker, maximumBytes: 64 << 10) == nil else {
            throw HostError.exchangePlace(store.place)
        }
        try HostCopy.checkThatItIsWhole(files, FilePath(store.place))
        _ = try files.putIfAbsent(Array("{\"people\":true}\n".utf8), as: HostLayout.started)
        // A copy that began meanwhile has seen that, or is seen here.
        try HostCopy.checkThatItIsWhole(files, FilePath(store.place))
        try CopyNames.settle(files)
        try DraftBucket(files, clock: archive.clock).recover()
        try archive.shared?.mirror.publishFolder()
        try archive.catalog.refresh()
        try archive.recover()
    }

    private static func prove(_ store: some ObjectStore) async throws(ObjectStoreError) {
        try await StoreProof.run(on: store)
    }
}

extension KeyStore {
    /// The keys of hosts that share a bucket.
    package init(sharedIn store: any ObjectStore, clock: any StoreClock = SystemClock()) {
        self.init(files: HostBucket(store), clock: clock)
    }

    /// Whether a host of this configuration asks for keys.
    package static func asksForKeys(_ configuration: HostConfiguration) throws -> Bool {
        if let store = configuration.bucket { return try KeyStore(sharedIn: store).read().asksForKeys }
        return try asksForKeys(configuration.data)
    }
}
