import Disk
import FoundationEssentials
import Model
import SystemPackage

/// The parts of a folder's URL.
struct FolderAddress: Hashable, Sendable {
    /// In its normal form, without a slash at its end.
    let base: String
    let path: FilePath

    /// - Parameter text: a file URL of a folder, like `file:///media/stick`.
    init(_ text: String) throws(RemoteAddressError) {
        guard let url = URL(string: text), url.scheme?.lowercased() == "file",
            url.host() == nil || url.host() == "" || url.host() == "localhost", url.query() == nil,
            url.fragment() == nil, let decoded = PercentEncoding.decode(url.path(percentEncoded: true)),
            decoded.hasPrefix("/"), decoded.utf8.count > 1, !decoded.utf8.contains(0)
        else { throw RemoteAddressError(text: text) }
        // As the URLs of the list are resolved.
        var base = "file://" + NormalURL.normalised(path: url.path(percentEncoded: true))
        while base.hasSuffix("/") { base.removeLast() }
        self.base = base
        path = FilePath(decoded)
    }

    /// Makes the folder one for exchange, where it is not yet.
    ///
    /// - Throws: `FileError` when there is no such folder, or it cannot be written.
    func prepare() throws { _ = try ExchangeFolder(making: path) }

    /// Whether the folder is this one, or inside it, by any path.
    func lies(in folder: FilePath) -> Bool {
        guard let own = POSIXFileSystem.resolved(path), let other = POSIXFileSystem.resolved(folder) else {
            return false
        }
        return own.isWithin(other)
    }
}
