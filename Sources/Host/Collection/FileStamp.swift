import Disk
import Model

/// Shows without reading whether a file has changed since it was read.
package struct FileStamp: Hashable, Sendable {
    let inode: UInt64
    let sizeBytes: Int64
    let modifiedNanoseconds: Int64

    init(_ status: FileStatus) {
        inode = status.inode
        sizeBytes = status.sizeBytes
        modifiedNanoseconds = status.modifiedNanoseconds
    }

    init(inode: UInt64, sizeBytes: Int64, modifiedNanoseconds: Int64) {
        self.inode = inode
        self.sizeBytes = sizeBytes
        self.modifiedNanoseconds = modifiedNanoseconds
    }

    /// A version of a file that has no time: its number says all.
    init(version: Int) {
        inode = UInt64(version)
        sizeBytes = 0
        modifiedNanoseconds = 0
    }

    /// The number of such a version.
    var version: Int { Int(inode) }

    /// Whether the stamp distinguishes a reading at `time` from later writes.
    ///
    /// A file's time moves in steps of some milliseconds (of two seconds on FAT): a second edit within the step of the
    /// first one, of the same length, would go unnoticed for ever.
    func isConclusive(at time: Timestamp) -> Bool {
        modifiedNanoseconds / 1_000_000 < time.millisecondsSinceEpoch - 2500
    }
}
