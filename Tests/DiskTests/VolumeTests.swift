import Foundation
import Glibc
import SystemPackage
import Testing

@testable import Disk

@Suite("What a store lies on")
struct VolumeTests {
    private static let table = """
        22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
        30 22 0:25 / /dev/shm rw,nosuid shared:3 - tmpfs tmpfs rw
        31 22 0:40 / /srv/school\\040share rw,relatime - nfs4 nas:/export rw,vers=4.2,local_lock=none
        32 22 0:41 / /srv/old rw - nfs nas:/old rw,vers=3,nolock,local_lock=all
        33 22 0:42 / /home/ada/nas rw - cifs //nas/share rw,vers=3.1.1,nobrl
        34 22 0:43 / /home/ada/ssh rw - fuse.sshfs ada@nas: rw,user_id=1000
        35 22 8:1 / /media/stick rw - vfat /dev/sdb1 rw,umask=0022
        36 22 0:44 / /home/ada/drive rw - fuse.gocryptfs x rw
        37 22 0:45 / /var/lib/box rw - overlay overlay rw,lowerdir=/a
        38 37 0:46 / /var/lib/box/data rw - btrfs /dev/vdb rw,subvol=/data
        """

    @Test(
        "the mount table shows the kind of volume, and whether its locks stay on this machine",
        arguments: [
            ("/home/ada/quire", Volume.Kind.local, false), ("/dev/shm/quire", .memory, false),
            ("/srv/school share/quire", .network, false), ("/srv/old/quire", .network, true),
            ("/home/ada/nas/quire", .network, true), ("/home/ada/ssh/quire", .network, true),
            ("/media/stick/quire", .withoutPermissions, false), ("/home/ada/drive/quire", .program, false),
            ("/var/lib/box/quire", .overlay, false), ("/var/lib/box/data/quire", .local, false),
            // A folder whose name begins as a mount point's is not on it.
            ("/dev/shmem/quire", .local, false),
        ])
    func kind(_ place: String, _ kind: Volume.Kind, _ keepsLocks: Bool) throws {
        let mount = try #require(MountLine.of(FilePath(place), in: Self.table))
        #expect(Volume.Kind(typeName: mount.typeName) == kind)
        #expect(mount.keepsLocksToItself == keepsLocks)
    }

    @Test("a table that cannot be read is no mount")
    func unreadable() {
        #expect(MountLine.of("/a", in: "") == nil)
        #expect(MountLine.of("/a", in: "1 2 3 4 / rw\n- - - - - - -\n") == nil)
    }

    @Test(
        "a folder that is synced is known by its name",
        arguments: [
            ("Dropbox", "Dropbox"), ("Dropbox (Personal)", "Dropbox"), ("OneDrive - School", "OneDrive"),
            ("Nextcloud2", "Nextcloud"), ("Google Drive", "Google Drive"), ("Yandex.Disk", "Yandex.Disk"),
            ("dropboxes", nil), ("My Dropbox", nil), ("quire", nil), ("", nil),
        ])
    func syncedName(_ name: String, _ program: String?) {
        #expect(SyncedFolder.program(folderName: name) == program)
    }

    @Test("or by what the program left in a folder above")
    func syncedMark() throws {
        try withTemporaryFolder { root in
            let inner = root.appending("a").appending("store")
            try FileManager.default.createDirectory(atPath: inner.string, withIntermediateDirectories: true)
            #expect(try POSIXFileSystem(root: inner).volume().syncingProgram == nil)
            try FileManager.default.createDirectory(
                atPath: root.appending(".stfolder").string, withIntermediateDirectories: true)
            #expect(try POSIXFileSystem(root: inner).volume().syncingProgram == "Syncthing")
        }
    }

    @Test("memory is not reported as a disk", .enabled(if: access("/dev/shm", W_OK) == 0, "no writable /dev/shm"))
    func memory() throws {
        var template = Array("/dev/shm/quire-XXXXXX".utf8CString)
        let made = try #require(mkdtemp(&template))
        let root = FilePath(String(cString: made))
        defer { rmdir(root.string) }
        let volume = try POSIXFileSystem(root: root).volume()
        #expect(volume.kind == .memory && volume.typeName == "tmpfs" && volume.place == root)
    }
}
