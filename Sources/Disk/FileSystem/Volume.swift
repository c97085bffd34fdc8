import SystemPackage

/// The volume of a store: the kind of file system, its location, and its free space.
package struct Volume: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// On a disk of this machine: durable, with working locks.
        case local
        /// In memory: gone when the machine stops.
        case memory
        /// A layer of a container: removed with the container.
        case overlay
        /// On another machine.
        case network
        /// A user-space file system (FUSE), without any guarantee.
        case program
        /// It supports neither owners nor permissions (FAT, exFAT, NTFS).
        case withoutPermissions
    }

    /// The system's name: `ext4`, `tmpfs`, `nfs4`, `fuse.sshfs`.
    package var typeName: String
    package var kind: Kind
    /// The root, absolute, with its symbolic links resolved.
    package var place: FilePath
    /// The effective user of this process.
    package var user: UInt32
    /// The bytes that this user may still write.
    package var freeBytes: Int64
    /// The number of files that may still be created; `nil` without a limit.
    package var freeFiles: Int64?
    /// Whether other machines that have the volume mounted do not see locks taken here.
    package var keepsLocksToItself: Bool
    /// The program that copies this folder elsewhere, recognised by a name or a marker in the folders above.
    package var syncingProgram: String?

    package init(
        typeName: String, kind: Kind, place: FilePath, user: UInt32, freeBytes: Int64, freeFiles: Int64? = nil,
        keepsLocksToItself: Bool = false, syncingProgram: String? = nil
    ) {
        self.typeName = typeName
        self.kind = kind
        self.place = place
        self.user = user
        self.freeBytes = freeBytes
        self.freeFiles = freeFiles
        self.keepsLocksToItself = keepsLocksToItself
        self.syncingProgram = syncingProgram
    }

    /// Whether this machine's kernel sees every change to files here, and so can report it (inotify(7)).
    package var reportsEveryChange: Bool {
        switch kind {
        case .local, .memory, .overlay, .withoutPermissions: !["virtiofs", "vboxsf", "prl_fs"].contains(typeName)
        case .network, .program: false
        }
    }
}

extension Volume.Kind {
    /// By the type's name in the mount table.
    init(typeName: String) {
        switch typeName {
        case "tmpfs", "ramfs", "rootfs": self = .memory
        case "overlay", "aufs": self = .overlay
        case "nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "ceph", "9p", "lustre", "glusterfs", "gfs2",
            "ocfs2":
            self = .network
        case "fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.glusterfs", "fuse.davfs2", "fuse.curlftpfs":
            self = .network
        case "vfat", "msdos", "exfat", "ntfs", "ntfs3", "fuse.ntfs-3g", "fuseblk": self = .withoutPermissions
        case _ where typeName == "fuse" || typeName.hasPrefix("fuse."): self = .program
        default: self = .local
        }
    }
}

/// One line of the mount table (`/proc/self/mountinfo`, proc(5)).
struct MountLine: Hashable {
    var point: String
    var typeName: String
    /// The options of the mount and of the volume.
    var options: Set<Substring>

    init?(_ line: Substring) {
        let words = line.split(separator: " ")
        guard words.count > 6, let dash = words.firstIndex(of: "-"), dash > 5, words.count > dash + 2 else {
            return nil
        }
        point = Self.unescaped(words[4])
        typeName = String(words[dash + 1])
        options = Set(words[5].split(separator: ","))
        if words.count > dash + 3 { options.formUnion(words[dash + 3].split(separator: ",")) }
    }

    /// The mount of a path: the last one at the longest mount point above it.
    static func of(_ place: FilePath, in table: String) -> MountLine? {
        var found: MountLine?
        for line in table.split(separator: "\n").compactMap({ MountLine($0) }) {
            guard place.isWithin(FilePath(line.point)) else { continue }
            if line.point.utf8.count >= found?.point.utf8.count ?? 0 { found = line }
        }
        return found
    }

    /// Whether the mount keeps locks on this machine.
    var keepsLocksToItself: Bool {
        switch typeName {
        case "nfs", "nfs4":
            options.contains("nolock") || options.contains("local_lock=all") || options.contains("local_lock=flock")
        case "cifs", "smb3": options.contains("nobrl")
        default: typeName.hasPrefix("fuse.") && Volume.Kind(typeName: typeName) == .network
        }
    }

    /// Spaces and similar characters are escaped as a backslash and three octal digits.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3, let value = UInt8(Substring(rest.prefix(3)), radix: 8) {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Folders that a program copies to other machines, where its renames and locks have no effect.
enum SyncedFolder {
    /// The names that those programs give to the folders.
    private static let names: [(name: String, program: String)] = [
        ("dropbox", "Dropbox"), ("onedrive", "OneDrive"), ("google drive", "Google Drive"),
        ("googledrive", "Google Drive"), ("nextcloud", "Nextcloud"), ("owncloud", "ownCloud"),
        ("icloud drive", "iCloud"), ("iclouddrive", "iCloud"), ("mobile documents", "iCloud"),
        ("yandex.disk", "Yandex.Disk"), ("seafile", "Seafile"), ("megasync", "MEGA"), ("pcloud drive", "pCloud"),
    ]

    /// Files that those programs leave in the folder that they watch.
    static let marks: [(name: String, program: String)] = [
        (".stfolder", "Syncthing"), (".dropbox", "Dropbox"), (".dropbox.cache", "Dropbox"),
        (".nextcloudsync.log", "Nextcloud"), (".owncloudsync.log", "ownCloud"), (".sync_journal.db", "Nextcloud"),
        (".resilio-sync", "Resilio Sync"), (".sync", "Resilio Sync"), (".seafile-ignore", "Seafile"),
    ]

    static func program(folderName: String) -> String? {
        let name = folderName.lowercased()
        // “OneDrive - School”, “Dropbox (Personal)”, “Nextcloud2”: no letter follows the name.
        return names.first { name.hasPrefix($0.name) && name.dropFirst($0.name.count).first?.isLetter != true }?.program
    }
}
