import Disk
import FoundationEssentials
import Model
import ObjectStores
import S3
import Sync
import Synchronization
import SystemPackage

/// A bucket as a remote: the exchange of a folder, in objects.
enum BucketRemote {
    /// - Parameter base: such as `s3+https://s3.example.org/bucket/prefix`.
    /// - Throws: `RemoteAddressError`.
    static func open(_ base: String, _ context: RemoteKind.Context) throws(RemoteAddressError) -> FolderRemote {
        let bucket = try address(base)
        let clock = context.clock
        let trust = context.trust
        let opened = OpenedBucket {
            S3ObjectStore(
                bucket, try S3Settings(ProcessInfo.processInfo.environment), clock: clock, trust: trust.configuration)
        }
        let probe = PresenceProbe(host: bucket.host, port: bucket.port)
        return FolderRemote(
            base: bucket.url, place: bucket.url, clock: clock, opening: { try opened.exchange() },
            reachability: { probe.presence() }, closing: { await opened.close() })
    }

    /// Makes the bucket's prefix a place for exchange, where it is not yet, or lets the store prove itself once more. It blocks.
    ///
    /// - Throws: `FileError`, `DocumentFault`, `RemoteAddressError`, `S3SettingsError`.
    static func prepare(_ base: String, proving: Bool = false) throws {
        let bucket = try address(base)
        let settings = try S3Settings(ProcessInfo.processInfo.environment)
        let store = S3ObjectStore(
            bucket, settings, clock: SystemClock(), trust: CertificateTrust().configuration)
        let exchange = proving ? try ExchangeBucket(store) : try ExchangeBucket(making: store)
        if proving { try exchange.prove() }
    }

    static func address(_ base: String) throws(RemoteAddressError) -> S3Bucket {
        do throws(S3AddressError) {
            return try S3Bucket(base, style: S3Settings.style(ProcessInfo.processInfo.environment))
        } catch {
            throw RemoteAddressError(text: base)
        }
    }
}

/// A bucket that is opened with its first use, and looked at once.
private final class OpenedBucket: Sendable {
    private let make: @Sendable () throws -> S3ObjectStore
    private let state = Mutex<(store: S3ObjectStore?, exchange: ExchangeBucket?)>((nil, nil))

    init(_ make: @escaping @Sendable () throws -> S3ObjectStore) { self.make = make }

    func exchange() throws -> ExchangeBucket {
        if let known = state.withLock({ $0.exchange }) { return known }
        let store = try state.withLock { state in
            let store = try state.store ?? make()
            state.store = store
            return store
        }
        let exchange = try ExchangeBucket(store)
        state.withLock { $0.exchange = exchange }
        return exchange
    }

    func close() async {
        let store = state.withLock { state in
            defer { state = (nil, nil) }
            return state.store
        }
        await store?.shutdown()
    }
}

extension RemoteKind {
    /// A bucket of S3: devices and hosts meet there without a server of ours.
    static let bucket = RemoteKind(
        schemes: S3Bucket.schemes, encryptedSchemes: ["s3+https"],
        form: "a bucket such as s3+https://s3.example.org/bucket/prefix",
        validate: { base throws(RemoteAddressError) in _ = try BucketRemote.address(base) },
        open: { try BucketRemote.open($0, $1) },
        prepare: { base, _ in try BucketRemote.prepare(base) },
        prove: { try BucketRemote.prepare($0, proving: true) },
        usesDefaultRoute: { base in
            guard let bucket = try? BucketRemote.address(base) else { return false }
            return !PresenceProbe.isHere(bucket.host)
        },
        medium: DeliveryMedium(name: "bucket", keepsSuccessors: true))
}
