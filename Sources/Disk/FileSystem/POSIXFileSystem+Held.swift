import CLinux
import Glibc
import SystemPackage

/// An open folder below the root.
struct HeldFolder {
    var path: String
    var descriptor: Int32
}

extension POSIXFileSystem {
    package func holding(_ folders: [FilePath]) throws(FileError) -> any FileSystem {
        var held: [HeldFolder] = []
        do throws(FileError) {
            for folder in folders {
                let descriptor = try inFolder(of: folder, "open") { above, name in quire_open_folder(above, name) }
                held.append(HeldFolder(path: folder.string, descriptor: descriptor))
            }
        } catch {
            for folder in held { _ = Glibc.close(folder.descriptor) }
            throw error
        }
        return POSIXFileSystem(owner ?? self, holding: held)
    }

    /// The start of a path lookup, and the rest of the path: at a held folder, or at the root.
    func beginning(of path: String) -> (folder: Int32, rest: String) {
        for folder in held where path.hasPrefix(folder.path) {
            let rest = path.utf8.dropFirst(folder.path.utf8.count)
            if rest.isEmpty || rest.first == UInt8(ascii: "/") {
                return (folder.descriptor, String(Substring(rest.dropFirst())))
            }
        }
        return (rootDescriptor, path)
    }
}
