import Glibc
import SystemPackage

extension FileStatus {
    /// Clamped to the range.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (seconds, isBeyond) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isSumBeyond) = seconds.addingReportingOverflow(Int64(time.tv_nsec))
        return isBeyond || isSumBeyond ? (time.tv_sec < 0 ? .min : .max) : sum
    }

    init(_ result: stat) {
        let kind: FileKind =
            switch result.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .symbolicLink
            default: .other
            }
        self.init(
            kind: kind, sizeBytes: Int64(result.st_size), allocatedBytes: Int64(result.st_blocks) * 512,
            modifiedNanoseconds: Self.nanoseconds(result.st_mtim),
            inode: UInt64(result.st_ino), links: UInt64(result.st_nlink),
            permissions: FilePermissions(rawValue: CModeT(result.st_mode & 0o7777)), owner: result.st_uid)
    }
}

extension Errno {
    static var current: Errno { Errno(rawValue: errno) }
}
