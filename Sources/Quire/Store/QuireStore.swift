import AuthorDrafts
import CacheStore
import Disk
import HTTPCaching
import Model
import OutboxStore
import Sync
import SystemPackage

/// A store: the cache, the outbox and their settings, in one folder.
///
///     let store = try QuireStore.open(at: "/home/ada/.local/share/quire")
///     for item in try store.library() { print(item.title) }
///
/// Any number of processes may have one store open at once. Calls are synchronous where they only touch files.
public final class QuireStore: Sendable {
    /// The space that the cache frees at once when the disk is full.
    static let roomForAnswers: Int64 = 1 << 20

    public let path: FilePath
    public let settings: StoreSettings
    /// The medium that holds submissions on their way to this store's remote.
    package let medium: DeliveryMedium
    /// The status of the settings' file when it was read.
    private let settingsStatus: FileStatus?
    package let cache: Cache
    public let outbox: Outbox
    public let marks: Marks
    package let journal: Journal
    public let clock: any StoreClock
    /// Counts the time of tests with a time limit.
    package let limitClock: TimeLimitClock
    package let fileSystem: any FileSystem
    let quarantine: Quarantine
    let reservedVersions = ReservedVersions()
    private let versionsTaken: VersionsTaken
    private let protectedContent: ProtectedContent

    private init(
        fileSystem: any FileSystem, settings: StoreSettings, settingsStatus: FileStatus? = nil, clock: any StoreClock,
        quotaBytes: Int64?, memoryTierBytes: Int, bootIdentity: String, mediumOf: (String) -> DeliveryMedium
    ) {
        medium = settings.remote.map(mediumOf) ?? .hub
        self.fileSystem = fileSystem
        self.settings = settings
        self.settingsStatus = settingsStatus
        self.clock = clock
        limitClock = TimeLimitClock(clock: clock)
        path = fileSystem.root
        let quarantine = Quarantine(fileSystem: fileSystem, folder: StoreLayout.quarantine, clock: clock)
        let marks = Marks(fileSystem: fileSystem, clock: clock)
        // Read-only: the cache's protection comes from the outbox, and the outbox's content from the cache. The two
        // modules meet only here.
        let drafts = Outbox(fileSystem: fileSystem, quarantine: quarantine, clock: clock, bootIdentity: bootIdentity)
        let versionsTaken = VersionsTaken(outbox: drafts)
        let protectedContent = ProtectedContent(
            versionsTaken: versionsTaken, marks: marks, authorDrafts: LocalAuthoring.drafts(fileSystem, clock: clock))
        let cache = Cache(
            fileSystem: fileSystem, quarantine: quarantine, clock: clock, quotaBytes: quotaBytes ?? settings.quotaBytes,
            memoryTierBytes: memoryTierBytes, bootIdentity: bootIdentity,
            protection: { [reservedVersions] in
                var protection = try protectedContent.protection()
                protection.digests.formUnion(reservedVersions.digests)
                return protection
            }, retained: { try versionsTaken.contentByAge { $0.isDelivered } })
        self.quarantine = quarantine
        self.marks = marks
        self.versionsTaken = versionsTaken
        self.protectedContent = protectedContent
        self.cache = cache
        outbox = Outbox(
            fileSystem: fileSystem, quarantine: quarantine, clock: clock, bootIdentity: bootIdentity,
            giveWay: { cache.space.giveWay(bytes: Self.roomForAnswers) })
        journal = Journal(fileSystem: fileSystem, clock: clock)
    }

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - quotaBytes: takes the place of the quota in the settings.
    ///   - memoryTierBytes: how much content a long-running process keeps in memory. With any, it keeps the list of what
    ///     is here, too, as long as that is.
    /// - Throws: `StoreError`, `FileError`.
    public static func open(
        at path: FilePath, quotaBytes: Int64? = nil, memoryTierBytes: Int = 0, clock: any StoreClock = SystemClock()
    ) throws -> QuireStore {
        try open(at: path, quotaBytes: quotaBytes, memoryTierBytes: memoryTierBytes, clock: clock) { _ in .hub }
    }

    /// - Parameter mediumOf: the medium of a remote, by its URL.
    package static func open(
        at path: FilePath, quotaBytes: Int64? = nil, memoryTierBytes: Int = 0, clock: any StoreClock = SystemClock(),
        mediumOf: (String) -> DeliveryMedium
    ) throws -> QuireStore {
        let fileSystem: POSIXFileSystem
        do throws(FileError) {
            fileSystem = try POSIXFileSystem(root: path)
        } catch {
            if error.isMissing { throw StoreError.noStore(path) }
            throw error
        }
        return try open(
            fileSystem, quotaBytes: quotaBytes, memoryTierBytes: memoryTierBytes, clock: clock, mediumOf: mediumOf)
    }

    /// Opens a store on a file system of the caller's.
    package static func open(
        _ fileSystem: any FileSystem, quotaBytes: Int64? = nil, memoryTierBytes: Int = 0, clock: any StoreClock,
        bootIdentity: String = BootIdentity.current, mediumOf: (String) -> DeliveryMedium = { _ in .hub }
    ) throws -> QuireStore {
        try open(
            fileSystem, quotaBytes: quotaBytes, memoryTierBytes: memoryTierBytes, clock: clock,
            bootIdentity: bootIdentity, format: .known, mediumOf: mediumOf)
    }

    /// - Parameter format: the formats that the program knows; an older store is upgraded to the current one.
    package static func open(
        _ fileSystem: any FileSystem, quotaBytes: Int64? = nil, memoryTierBytes: Int = 0, clock: any StoreClock,
        bootIdentity: String, format: StoreFormat, mediumOf: (String) -> DeliveryMedium = { _ in .hub }
    ) throws -> QuireStore {
        try refuseLinks(fileSystem)
        let (settings, status) = try SettingsFile(fileSystem: fileSystem).read(format)
        return QuireStore(
            fileSystem: fileSystem, settings: settings, settingsStatus: status, clock: clock, quotaBytes: quotaBytes,
            memoryTierBytes: memoryTierBytes, bootIdentity: bootIdentity, mediumOf: mediumOf)
    }

    /// A link in place of one of the store's folders would lead writes out of the store.
    private static func refuseLinks(_ fileSystem: any FileSystem) throws {
        for folder in StoreLayout.folders where try fileSystem.status(at: folder)?.kind == .symbolicLink {
            throw FileError("use", fileSystem.root.pushing(folder), .tooManySymbolicLinkLevels)
        }
    }

    /// Makes a store.
    ///
    /// - Throws: `StoreError.alreadyThere` when there is one.
    public static func create(
        at path: FilePath, settings: StoreSettings, clock: any StoreClock = SystemClock()
    ) throws -> QuireStore {
        try POSIXFileSystem.makeRoot(path)
        return try create(try POSIXFileSystem(root: path), settings: settings, clock: clock)
    }

    package static func create(
        _ fileSystem: any FileSystem, settings: StoreSettings, clock: any StoreClock,
        bootIdentity: String = BootIdentity.current, mediumOf: (String) -> DeliveryMedium = { _ in .hub }
    ) throws -> QuireStore {
        if try fileSystem.status(at: StoreLayout.settings) != nil {
            // The maker may have been killed before its name was durable; from now on it is relied upon.
            try fileSystem.makeDurable(folder: FilePath())
            throw StoreError.alreadyThere(fileSystem.root)
        }
        let store = QuireStore(
            fileSystem: fileSystem, settings: settings, clock: clock, quotaBytes: nil, memoryTierBytes: 0,
            bootIdentity: bootIdentity, mediumOf: mediumOf)
        try store.outbox.makeFolders()
        try store.cache.makeFolders()
        // The settings last: a folder without them is no store, so a crash here leaves nothing half-made.
        try SettingsFile(fileSystem: fileSystem).write(settings)
        return store
    }

    /// Writes changed settings durably; they hold for stores that are opened from now on.
    package func save(_ settings: StoreSettings) throws {
        try outbox.makeFolders()
        try SettingsFile(fileSystem: fileSystem).write(settings)
    }

    /// Changes the current settings in the folder durably, and nothing beyond the change; concurrent programs do not
    /// undo each other's. They apply to stores that are opened from now on.
    public func changeSettings(_ change: (inout StoreSettings) throws -> Void) throws {
        try outbox.makeFolders()
        let lock = try LockFile.acquire(OutboxLayout.editLock, in: fileSystem, wait: true)
        defer { lock?.release() }
        var (settings, _) = try SettingsFile(fileSystem: fileSystem).read()
        try change(&settings)
        try save(settings)
    }

    /// Whether the folder now has other settings than those that this store was opened with: a long-running process
    /// then opens it again.
    package func hasOtherSettings() throws -> Bool {
        try SettingsFile(fileSystem: fileSystem).differs(from: settingsStatus)
    }

    /// Notes in the settings that a program with people was started.
    ///
    /// - Returns: whether there are tests from before: once.
    package func isNewToPeople() throws -> Bool {
        if settings.knowsPeople { return false }
        var isFirst = false
        try changeSettings {
            isFirst = !$0.knowsPeople
            $0.knowsPeople = true
        }
        return try isFirst && people.state().people.isEmpty && !outbox.scan().tests.isEmpty
    }

    /// The content that the cache must keep.
    package func protection() throws -> Protection { try protectedContent.protection() }

    /// The versions that all tests here were taken with.
    package func versionsOfTests() throws -> [QuestionnaireReference] { try versionsTaken.references { _ in true } }
}
