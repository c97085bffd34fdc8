import Disk
import Model
import SystemPackage

extension RemoteKind {
    /// A folder: a stick or a share, until a host collects it.
    static let folder = RemoteKind(
        schemes: ["file"],
        form: "a folder such as file:///media/stick",
        validate: { base throws(RemoteAddressError) in _ = try FolderAddress(base) },
        open: { try FolderRemote(base: $0, clock: $1.clock) },
        prepare: { try prepareFolder($0, store: $1) },
        usesDefaultRoute: { _ in false },
        medium: DeliveryMedium(name: "folder", keepsSuccessors: true))

    private static func prepareFolder(_ base: String, store: FilePath) throws {
        let folder = try FolderAddress(base)
        // Checked before anything is made there.
        if folder.lies(in: store) {
            throw RemotePreparationError(
                description:
                    "\(base) is the store itself, or a folder in it: name another folder, such as one on a stick")
        }
        do {
            try folder.prepare()
        } catch let error as FileError where error.isMissing {
            throw RemotePreparationError(
                description: "\(error): plug the stick in, or make the folder, then name it again")
        }
    }
}

extension FolderRemote {
    package var listAdvice: String { "collect the folder on the host again" }
}

/// Why a place cannot be a store's remote, and what to do about it.
package struct RemotePreparationError: DescribedError, Equatable {
    package let description: String
}
