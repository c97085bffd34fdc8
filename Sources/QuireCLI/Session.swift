import Disk
import FoundationEssentials
import Model
import Quire
import Remotes
import Sync
import SystemPackage
import Wording

/// A command's store and remote.
struct Session: Sendable {
    let store: QuireStore
    /// `nil` when the store has no remote.
    let remote: (any Remote)?
    /// Why the remote of the settings is unusable: its address, the proxy, the token, the certificates, the keys of a
    /// bucket. Commands without network work without it.
    private let remoteFault: (any Error)?
    let isOffline: Bool

    /// Opens the store for one command; connections are ended when it is done.
    nonisolated(nonsending) static func run<Result>(
        _ options: StoreOptions, quota: ByteSize? = nil,
        _ body: nonisolated(nonsending) (Session) async throws -> Result
    ) async throws -> Result {
        let session = try Session(options, quota: quota)
        do {
            let result = try await body(session)
            await session.remote?.shutdown()
            return result
        } catch {
            await session.remote?.shutdown()
            throw error
        }
    }

    /// For a process that lives long: short documents and the list that are asked for again and again are in memory.
    static let longLivedMemoryBytes = 16 << 20

    init(_ options: StoreOptions, quota: ByteSize? = nil, memoryTierBytes: Int = 0) throws {
        let store = try options.openStore(quotaBytes: quota?.bytes, memoryTierBytes: memoryTierBytes)
        self.store = store
        isOffline = options.offline
        do {
            remote = try store.settings.remote.map { base in
                let trust = options.offline ? CertificateTrust() : try Self.trust(in: base, store)
                let proxies = Self.proxies(store)
                return try store.people.remote(
                    deviceKey: try Self.token(store), hasPeople: RemoteAddress.hasPeople(base)
                ) { [clock = store.clock] key in
                    try RemoteAddress.open(base, token: key, clock: clock, trust: trust, proxies: proxies)
                }
            }
            remoteFault = nil
        } catch {
            (remote, remoteFault) = (nil, error)
        }
        if let quota = quota?.bytes { _ = try store.cache.space.trim(toBytes: quota) }
    }

    /// Why the remote of the settings cannot be used, in one sentence; `nil` if it can, and without a remote.
    var remoteFaultReason: String? { remoteFault.map { Failure($0).message } }

    /// Why the proxy, the certificates or the token of a store cannot be used; `nil` if they can, without a remote, and where
    /// the examination of the store says it itself.
    static func credentialFault(_ store: QuireStore) -> String? {
        guard let base = store.settings.remote else { return nil }
        do {
            if let proxy = store.settings.proxy, !["", "none"].contains(proxy.lowercased()) {
                _ = try ProxyAddress(proxy, from: "the setting “proxy” of the store")
            }
            _ = try trust(in: base, store)
            _ = try token(store)
            return nil
        } catch let fault as TokenFault {
            return fault.isUnexamined ? fault.description : nil
        } catch {
            return Failure(error).message
        }
    }

    /// Reading a machine's certificates takes longer than showing a document: they are not read for a folder, or a
    /// server without TLS.
    private static func trust(in base: String, _ store: QuireStore) throws -> CertificateTrust {
        guard RemoteAddress.isEncrypted(base) else { return CertificateTrust() }
        let bundle = ProcessInfo.processInfo.environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        return try CertificateTrust(authorities: store.settings.caFile, bundle: bundle)
    }

    /// The member `proxy` of the settings, else the variables of the environment.
    ///
    /// - Parameter named: takes the place of the one in the settings.
    static func proxies(_ store: QuireStore, named: String? = nil) -> ProxyRule {
        ProxyRule(setting: named ?? store.settings.proxy, variables: ProcessInfo.processInfo.environment)
    }

    /// Whether the remote is of a kind that may have class lists, and codes of people.
    var hasPeople: Bool { store.settings.remote.map(RemoteAddress.hasPeople) == true }

    /// The remote with another key than the device's.
    func remote(showing key: String) throws -> any Remote {
        let named = try requireRemote()
        guard let base = store.settings.remote else { return named }
        return try RemoteAddress.open(
            base, token: key, clock: store.clock, trust: try Self.trust(in: base, store), proxies: Self.proxies(store))
    }

    /// The remote, for commands that are nothing without it.
    func requireRemote() throws -> any Remote {
        if let remoteFault { throw failure(remoteFault) }
        guard let remote else {
            throw Failure(Exit.usage, "this store has no remote: set one with “quire remote set URL”")
        }
        if isOffline { throw Failure(Exit.unavailable, "the network is not to be used (--offline)") }
        return remote
    }

    /// The failure of a command that needs the remote.
    private func failure(_ fault: any Error) -> Failure {
        switch fault {
        case is RemoteAddressError, TokenFault.noFile(_):
            Failure(Exit.badData, "\(store.path)/store.json: \(fault): see “quire remote set URL”")
        default: Failure(fault)
        }
    }

    /// `$QUIRE_TOKEN`, else the first line of the token file; never an argument, which other users could see.
    ///
    /// - Parameter file: takes the place of the one in the store's settings.
    static func token(_ store: QuireStore, file named: String? = nil) throws -> String? {
        if let token = ProcessInfo.processInfo.environment["QUIRE_TOKEN"], !token.isEmpty {
            guard isToken(token) else { throw TokenFault.variable }
            return token
        }
        guard let file = named ?? store.settings.tokenFile else { return nil }
        let found: (bytes: [UInt8], status: FileStatus)?
        do throws(FileError) {
            found = try NamedFile(FilePath(file))?.read(maximumBytes: 4096)
        } catch {
            if named != nil { throw error }
            throw TokenFault.unreadable(error)
        }
        guard let (bytes, status) = found else {
            if named != nil { throw Failure(Exit.usage, "--token-file “\(file)” names no file") }
            throw TokenFault.noFile(file)
        }
        guard status.permissions.isDisjoint(with: [.groupReadWriteExecute, .otherReadWriteExecute]) else {
            throw TokenFault.openToOthers(file)
        }
        let token = String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline }.filter { !$0.isWhitespace }
        guard isToken(token) else { throw TokenFault.noToken(file) }
        return token
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
