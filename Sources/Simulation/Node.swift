import Disk
import SystemPackage

/// A file, folder, symbolic link or other thing of a simulated disk.
struct Node: Sendable {
    struct Content: Hashable, Sendable {
        /// A file's bytes; a symbolic link's target.
        var bytes: [UInt8]
        var modifiedNanoseconds: Int64
        var permissions: FilePermissions
    }

    var kind: FileKind
    var inode: UInt64
    /// The content as programs see it.
    private(set) var content: Content
    /// The content on disk, if different.
    var durable: Content?
    /// Some of the file's contents since the last sync: each may be the one on disk.
    private(set) var formerBytes: [[UInt8]] = []
    /// A sync has failed: what was to be written is lost to later ones.
    var isPoisoned = false
    /// The blocks that take space.
    var blocks: Set<Int> = []
    /// The entries of a folder.
    var entries: [Name: DiskImage.NodeID] = [:]
    /// Where a folder is.
    var place: Slot?
    var links = 0
    var openCount = 0

    init(kind: FileKind, inode: UInt64 = 0, modified: Int64, permissions: FilePermissions, bytes: [UInt8] = []) {
        self.kind = kind
        self.inode = inode
        content = Content(bytes: bytes, modifiedNanoseconds: modified, permissions: permissions)
    }

    var isAlive: Bool { links > 0 || openCount > 0 }

    /// Changes the content as programs see it; the disk is unchanged until a sync.
    mutating func change(_ body: (inout Content) -> Void) {
        if let durable {
            if durable.bytes != content.bytes, formerBytes.count < 2 { formerBytes.append(content.bytes) }
        } else {
            durable = content
            formerBytes = []
        }
        body(&content)
        if durable == content { durable = nil }
    }

    /// A folder takes one block.
    var allocatedBytes: Int64 {
        Int64(kind == .folder ? DiskImage.blockSize : blocks.count * DiskImage.blockSize)
    }

    /// The blocks that bytes in this range still need.
    func missingBlocks(_ range: Range<Int>) -> [Int] {
        range.isEmpty ? [] : Self.blocks(range).filter { !blocks.contains($0) }
    }

    static func blocks(_ range: Range<Int>) -> ClosedRange<Int> {
        range.lowerBound / DiskImage.blockSize...max(range.lowerBound, range.upperBound - 1) / DiskImage.blockSize
    }

    /// Cuts or extends with zeros; new bytes take no space.
    mutating func resize(to size: Int, now: Int64) {
        if size < content.bytes.count {
            let kept = (size + DiskImage.blockSize - 1) / DiskImage.blockSize
            blocks = blocks.filter { $0 < kept }
        }
        // A file that is rewritten does not depend on the bytes that a failed sync has lost.
        if size == 0 { isPoisoned = false }
        change { content in
            if size < content.bytes.count {
                content.bytes.removeLast(content.bytes.count - size)
            } else {
                content.bytes.append(contentsOf: repeatElement(0, count: size - content.bytes.count))
            }
            content.modifiedNanoseconds = now
        }
    }

    mutating func write(_ piece: UnsafeRawBufferPointer, at offset: Int, now: Int64) {
        let end = offset + piece.count
        blocks.formUnion(Self.blocks(offset..<end))
        change { content in
            if end > content.bytes.count {
                content.bytes.append(contentsOf: repeatElement(0, count: end - content.bytes.count))
            }
            content.bytes.withUnsafeMutableBytes { buffer in
                UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<end]).copyMemory(from: piece)
            }
            content.modifiedNanoseconds = now
        }
    }

    func status(owner: UInt32) -> FileStatus {
        FileStatus(
            kind: kind, sizeBytes: Int64(kind == .folder ? DiskImage.blockSize : content.bytes.count),
            allocatedBytes: allocatedBytes, modifiedNanoseconds: content.modifiedNanoseconds, inode: inode,
            links: UInt64(kind == .folder ? 2 : links), permissions: content.permissions, owner: owner)
    }
}
