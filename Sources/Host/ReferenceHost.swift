import AuthorDrafts
import Disk
import HTTPServing
import Hummingbird
import Logging
import Model
import NIOCore
import Networking
import ObjectStores
import SystemPackage

/// The reference server: it publishes a folder of questionnaires, stores the tests that people send, and rates them.
///
///     let host = ReferenceHost(HostConfiguration(data: "/srv/quire"))
///     try await host.run { port in print("listening on port \(port)") }
package struct ReferenceHost: Sendable {
    private let configuration: HostConfiguration
    private let clock: any StoreClock
    private let logger: Logger
    private let makePages: (@Sendable (HostServices) -> HostPages)?

    /// Requests that are being answered when the host is stopped have this long to end.
    static let shutdownSeconds = 5

    /// - Parameter pages: makes the pages that are served beside the protocol.
    package init(
        _ configuration: HostConfiguration, clock: any StoreClock = SystemClock(), logger: Logger? = nil,
        pages: (@Sendable (HostServices) -> HostPages)? = nil
    ) {
        self.configuration = configuration
        self.clock = clock
        makePages = pages
        self.logger = logger ?? Logger(label: "quire.host")
    }

    /// Listens until the task is cancelled, then completes the current responses.
    ///
    /// - Parameter onListening: called once, with the port, when connections are taken.
    /// - Throws: `HostError`, `FileError`.
    package func run(onListening: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        let opened = try await offload { try open() }
        // Released here: a thread that has done work may keep what it captured for longer.
        defer { opened.lock?.release() }
        try await checkThatAccessIsDecided(opened.responder.keyRing)
        let application = application(opened.responder) { channel in
            DescriptorLimit.watch(channel, limit: OpenFileLimit.current) { [logger] in logger.warning("\($0)") }
            await onListening(channel.localAddress?.port ?? configuration.listen.port)
        }
        // Opening a large folder takes a while.
        try Task.checkCancellation()
        opened.responder.prepareLists()
        do {
            try await CancellableServices(
                [application], shutdownSeconds: ReferenceHost.shutdownSeconds, logger: logger
            ).run()
            try await offload { opened.responder.keepLists() }
        } catch let error as IOError {
            throw HostError.cannotListen(
                configuration.listen, reason: Errno(rawValue: error.errnoCode).description.lowercased())
        } catch is SocketAddressError.UnknownHost {
            throw HostError.cannotListen(configuration.listen, reason: "there is no such host")
        }
    }

    /// Beyond this machine a host has keys, or its operator says that it is open.
    ///
    /// - Throws: `HostError.openToNetwork`.
    private func checkThatAccessIsDecided(_ keys: KeyRing) async throws {
        let hasToken = configuration.token != nil || configuration.authorToken != nil
        if configuration.listen.isLoopback || hasToken { return }
        if try await keys.current().asksForKeys {
            if configuration.isOpen { logger.warning("--open has no effect: this host has keys, and asks for them") }
        } else if !configuration.isOpen {
            throw HostError.openToNetwork(configuration.listen, data: configuration.data)
        }
    }

    /// The server around the responder; the tests run the same one in memory.
    func application(
        _ responder: HostResponder, onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
    ) -> Application<HostResponder> {
        let bounds = configuration.connections ?? ConnectionBounds(descriptors: OpenFileLimit.current)
        let reserve = DescriptorReserve(limit: OpenFileLimit.current)
        return Application(
            responder: responder,
            server: .bounded(
                ServerConnections(
                    bounds, logger: logger, isShort: { reserve.isNear }, holdsContent: HostResponder.holdsContent),
                handlers: { [ContinueHandler()] }),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.listen.host, port: configuration.listen.port), serverName: "quire"),
            onServerRunning: onServerRunning, logger: logger)
    }

    /// Opens the folders, takes the lock, and recovers from a crash; or opens the bucket. Blocks.
    ///
    /// - Returns: the responder, and the lock to hold as long as it is used; hosts that share a bucket hold none.
    func open() throws -> (responder: HostResponder, lock: LockFile?) {
        if let store = configuration.bucket { return (try openShared(store), nil) }
        try POSIXFileSystem.makeRoot(configuration.data)
        let fileSystem = try POSIXFileSystem(root: configuration.data)
        try HostCopy.checkThatItIsWhole(HostFolder(fileSystem), configuration.data)
        if configuration.questionnaires == nil { try fileSystem.makeFolderIfMissing(HostLayout.questionnaires) }
        let archive = ReferenceHost.archive(
            in: fileSystem, configuration, publishes: true, clock: clock, logger: logger, isWatched: true)
        try archive.makeFolders()
        guard let lock = try LockFile.acquire(HostLayout.lock, in: archive.fileSystem, wait: false) else {
            throw HostError.dataInUse(configuration.data)
        }
        // A copy that began meanwhile has seen the lock, or is seen here.
        try HostCopy.checkThatItIsWhole(HostFolder(fileSystem), configuration.data)
        do throws(FileError) {
            try archive.catalog.refresh()
        } catch {
            throw HostError.unusableQuestionnaires(configuration.questionnaireFolder, reason: error.description)
        }
        try archive.recover()
        let changes = QuestionnaireArchive(of: archive)
        do {
            try changes.checkThatSomeAreLeft()
        } catch let error as HostError {
            // The folder may be the wrong one, or its disk not mounted; it may also be meant.
            logger.warning("\(error)")
        }
        try changes.recover()
        let media = media(archive, changes)
        try media.recover()
        return (try responder(archive, changes, media), lock)
    }

    private func openShared(_ store: any ObjectStore) throws -> HostResponder {
        let archive = try ReferenceHost.shared(store, configuration, clock: clock, logger: logger)
        try ReferenceHost.prepare(archive, store)
        let changes = QuestionnaireArchive(of: archive)
        let media = media(archive, changes)
        try media.recover()
        return try responder(archive, changes, media)
    }

    private func media(_ archive: TestArchive, _ changes: QuestionnaireArchive) -> MediaArchive {
        MediaArchive(
            fileSystem: archive.fileSystem, tests: archive, changes: changes, clock: clock,
            maximumBytes: configuration.maximumMediaBytes)
    }

    private func responder(
        _ archive: TestArchive, _ changes: QuestionnaireArchive, _ media: MediaArchive
    ) throws -> HostResponder {
        let files = archive.hostFiles
        let owners = TestOwners(files: files)
        let keyStore = KeyStore(files: files, clock: clock)
        let people = PeopleStore(keys: keyStore)
        try people.settle()
        let keyRing = KeyRing(store: keyStore, logger: logger)
        let access = AccessControl(
            token: configuration.token, authorToken: configuration.authorToken,
            isOpen: configuration.allowsAuthoringWithoutToken, clock: clock)
        let mediaEndpoint = MediaEndpoint(archive: media, owners: owners)
        let progress = ProgressStore(files: files, clock: clock)
        let services = HostServices(
            archive: archive, clock: clock, drafts: DraftStore(of: archive, clock: clock),
            logIns: archive.shared.map { SharedLogIns(files: $0.files, access: access, clock: clock) },
            changes: changes, media: mediaEndpoint, progress: progress, access: access, keyRing: keyRing,
            isLoopback: configuration.listen.isLoopback)
        return HostResponder(
            questionnaires: QuestionnaireEndpoint(
                catalog: archive.catalog, register: changes.register, cacheControl: configuration.cacheControl,
                logger: logger),
            tests: TestEndpoint(archive: archive, changes: changes, owners: owners),
            changes: ChangeEndpoint(
                archive: changes, catalog: archive.catalog,
                favorites: FavoriteArchive(files, changes, archive.catalog, clock: clock)),
            media: mediaEndpoint,
            names: OwnNames(listen: configuration.listen.host, names: configuration.names),
            rateLimit: configuration.requestsPerMinute.map { RateLimit(perMinute: $0, clock: clock) },
            access: access, keyRing: keyRing, keys: KeyEndpoint(access: access, clock: clock),
            people: PeopleEndpoint(store: people), progress: ProgressEndpoint(store: progress), logger: logger,
            pages: makePages?(services))
    }

    /// The tests of a host that has run before, whether it runs now or not. Blocks on the disk.
    ///
    /// - Throws: `HostError.noData`, `FileError`.
    package static func openArchive(
        _ configuration: HostConfiguration, clock: any StoreClock = SystemClock(), logger: Logger
    ) throws -> TestArchive {
        if let store = configuration.bucket {
            return try sharedArchive(store, configuration, clock: clock, logger: logger)
        }
        let fileSystem: POSIXFileSystem
        do throws(FileError) {
            fileSystem = try POSIXFileSystem(root: configuration.data)
        } catch {
            throw error.isMissing ? HostError.noData(configuration.data) : error
        }
        guard try fileSystem.status(at: HostLayout.tests)?.kind == .folder else {
            throw HostError.noData(configuration.data)
        }
        return archive(in: fileSystem, configuration, publishes: false, clock: clock, logger: logger)
    }

    /// The archive of a host that need not have run before. Blocks on the disk.
    ///
    /// - Throws: `FileError`.
    package static func makeArchive(
        _ configuration: HostConfiguration, clock: any StoreClock = SystemClock(), logger: Logger
    ) throws -> TestArchive {
        if let store = configuration.bucket {
            let archive = try shared(store, configuration, clock: clock, logger: logger)
            try prepare(archive, store)
            return archive
        }
        try POSIXFileSystem.makeRoot(configuration.data)
        let fileSystem = try POSIXFileSystem(root: configuration.data)
        if configuration.questionnaires == nil { try fileSystem.makeFolderIfMissing(HostLayout.questionnaires) }
        let archive = archive(
            in: fileSystem, configuration, publishes: true, clock: clock, logger: logger, isWatched: true)
        try archive.makeFolders()
        return archive
    }

    /// The questionnaires of a host that has run before, and the faults of their files, without changing anything.
    /// Blocks on the disk.
    ///
    /// - Throws: `HostError.noData`, `HostError.unusableQuestionnaires`.
    package static func openCatalog(
        _ configuration: HostConfiguration, clock: any StoreClock = SystemClock(), logger: Logger
    ) throws -> CatalogSnapshot {
        let catalog = try openArchive(configuration, clock: clock, logger: logger).catalog
        do throws(FileError) {
            if configuration.bucket == nil { _ = try POSIXFileSystem(root: configuration.questionnaireFolder) }
            return try catalog.refresh()
        } catch {
            throw HostError.unusableQuestionnaires(configuration.questionnaireFolder, reason: error.description)
        }
    }

    /// - Parameter publishes: whether this process is the one that publishes the questionnaires: it notes their versions.
    private static func archive(
        in fileSystem: any FileSystem, _ configuration: HostConfiguration, publishes: Bool, clock: any StoreClock,
        logger: Logger, isWatched: Bool = false
    ) -> TestArchive {
        let folder = configuration.questionnaireFolder
        let catalog = QuestionnaireCatalog(
            clock: clock, logger: logger,
            versions: PublishedVersions(fileSystem: fileSystem, clock: clock, isWritable: publishes),
            mayLackFolder: !publishes && configuration.questionnaires == nil
        ) { () throws(FileError) in try POSIXFileSystem(root: folder) }
        var archive = TestArchive(
            fileSystem: fileSystem, catalog: catalog, clock: clock, logger: logger, isWatched: isWatched)
        archive.release = configuration.release
        return archive
    }
}
