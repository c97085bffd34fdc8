import Disk
import Model
import Sync

/// The remote that a URL in a store's settings stands for.
public enum RemoteAddress {
    /// - Parameters:
    ///   - base: of a server (`http`, `https`), or of a folder (`file`).
    ///   - token: shown to a server, as a bearer token.
    /// - Throws: `RemoteAddressError`.
    public static func open(
        _ base: String, token: String?, clock: any StoreClock, trust: CertificateTrust = CertificateTrust()
    ) throws -> any Remote {
        isFolder(base)
            ? try FolderRemote(base: base, clock: clock)
            : try HTTPRemote(base: base, token: token, clock: clock, trust: trust)
    }

    /// Why a URL stands for no remote; `nil` when it stands for one.
    public static func fault(in base: String) -> RemoteAddressError? {
        do throws(RemoteAddressError) {
            if isFolder(base) {
                _ = try FolderRemote(base: base, clock: SystemClock())
            } else {
                _ = try HTTPAddress(base)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Whether the way to it leads over the network of the machine: not to a folder, nor to the machine itself.
    public static func usesDefaultRoute(_ base: String) -> Bool {
        guard !isFolder(base), let address = try? HTTPAddress(base) else { return false }
        return !PresenceProbe.isHere(address.host)
    }

    public static func isEncrypted(_ base: String) -> Bool { base.lowercased().hasPrefix("https:") }

    public static func isFolder(_ base: String) -> Bool { base.lowercased().hasPrefix("file:") }
}
