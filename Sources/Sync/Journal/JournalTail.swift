import Disk
import Model
import SystemPackage

/// A reader's place in the journal. It goes along when the file is rotated while it is followed.
package struct JournalTail: Sendable {
    private let fileSystem: any FileSystem
    /// The file that was read last, and how far.
    private var inode: UInt64?
    private var offset: Int64 = 0

    init(fileSystem: any FileSystem, fromBeginning: Bool) throws {
        self.fileSystem = fileSystem
        if fromBeginning { return }
        // Just rotated, there may be no current one.
        for path in [JournalLayout.events, JournalLayout.formerEvents] {
            guard let status = try fileSystem.status(at: path) else { continue }
            (inode, offset) = (status.inode, status.sizeBytes)
            return
        }
    }

    /// The events since the last call, the oldest first. An incomplete line is returned when it is complete.
    package mutating func next() throws -> [JournalEvent] {
        var events: [JournalEvent] = []
        let file = try open(JournalLayout.events)
        defer { if let file { fileSystem.closeQuietly(file) } }
        let current = try file.map { try fileSystem.status($0) }
        if current == nil || current?.inode != inode, let former = try open(JournalLayout.formerEvents) {
            defer { fileSystem.closeQuietly(former) }
            // It was rotated: first the rest of the file under its other name. If that was rotated away too, the
            // current file is all new.
            let status = try fileSystem.status(former)
            if status.inode != inode { (inode, offset) = (status.inode, 0) }
            events += try read(former)
        }
        guard let file, let current else { return events }
        // Another one now, or emptied by hand.
        if current.inode != inode || current.sizeBytes < offset { (inode, offset) = (current.inode, 0) }
        return events + (try read(file))
    }

    private func open(_ path: FilePath) throws(FileError) -> OpenFile? {
        do throws(FileError) {
            return try fileSystem.continuing { () throws(FileError) in try fileSystem.open(path, .read) }
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// The whole lines from `offset` on.
    private mutating func read(_ file: OpenFile) throws(FileError) -> [JournalEvent] {
        let size = try fileSystem.status(file).sizeBytes
        guard size > offset else { return [] }
        var bytes = [UInt8](repeating: 0, count: Int(min(size - offset, Journal.rotationBytes * 2)))
        let place = offset
        let count = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(FileError) in
            let space = UnsafeMutableRawBufferPointer(buffer)
            return try fileSystem.continuing { () throws(FileError) in try fileSystem.read(file, into: space, at: place)
            }
        }
        guard let end = bytes[..<count].lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        offset += Int64(end + 1)
        return Journal.events(in: bytes[...end])
    }
}
