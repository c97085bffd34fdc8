import Glibc
import SystemPackage

extension POSIXFileSystem {
    package func volume() throws(FileError) -> Volume {
        var numbers = statvfs()
        if fstatvfs(rootDescriptor, &numbers) != 0 { throw failure("look at the volume of", FilePath()) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = readlink("/proc/self/fd/\(rootDescriptor)", &buffer, buffer.count)
        let place = count > 0 ? FilePath(String(decoding: buffer[..<count], as: UTF8.self)) : root
        let mount = MountLine.of(place, in: Self.mountTable)
        return Volume(
            typeName: mount?.typeName ?? "unknown", kind: Volume.Kind(typeName: mount?.typeName ?? ""), place: place,
            user: geteuid(), freeBytes: Int64(clamping: numbers.f_bavail) * Int64(clamping: numbers.f_frsize),
            // A volume that allocates inodes on demand (btrfs) reports 0 of 0.
            freeFiles: numbers.f_files == 0 ? nil : Int64(clamping: numbers.f_favail),
            keepsLocksToItself: mount?.keepsLocksToItself ?? false, syncingProgram: Self.syncingProgram(place))
    }

    private static var mountTable: String {
        do throws(FileError) {
            let kernel = try POSIXFileSystem(root: "/proc/self")
            return String(decoding: try kernel.readFile("mountinfo", maximumBytes: 16 << 20).bytes, as: UTF8.self)
        } catch {
            // Without the table the volume counts as a disk.
            return ""
        }
    }

    private static func syncingProgram(_ place: FilePath) -> String? {
        var place = place
        while let name = place.name {
            if let program = SyncedFolder.program(folderName: name) {
                return program
            }
            for mark in SyncedFolder.marks where access(place.appending(name: mark.name).string, F_OK) == 0 {
                return mark.program
            }
            place = place.folder
        }
        return nil
    }
}
