import Disk
import Model
import SystemPackage

/// The bytes of attachments: receives them, gives them their place, and knows who needs them.
package struct OutboxMedia: Sendable {
    let outbox: Outbox

    var fileSystem: any FileSystem { outbox.fileSystem }

    /// Starts to receive the bytes of a file, without holding a lock.
    package func spool(named name: String) throws -> MediaSpool {
        try outbox.makeFolders()
        let temporary = try outbox.makingRoom { _ throws(FileError) in
            try fileSystem.makeTemporaryFile(in: OutboxLayout.temporary)
        }
        return MediaSpool(temporary: temporary, name: name)
    }

    /// - Throws: `OutboxError.unfit` if it becomes too long.
    package func append(_ piece: [UInt8], to spool: inout MediaSpool) throws {
        let start = spool.sizeBytes
        guard start + Int64(piece.count) <= Attachment.maximumBytes else {
            let most = ByteCount.format(Attachment.maximumBytes)
            throw OutboxError.unfit(
                file: spool.name, reason: "it is longer than \(most), the most that one file may have")
        }
        piece.withUnsafeBytes { spool.builder.update($0) }
        try outbox.makingRoom { [spool] _ throws(FileError) in
            try fileSystem.writeAll(spool.temporary.file, piece, at: start)
        }
        spool.sizeBytes += Int64(piece.count)
    }

    /// Makes the received bytes durable. After a failure, they are given up.
    package func finish(_ spool: MediaSpool) throws -> SpooledMedia {
        do {
            try fileSystem.continuing { () throws(FileError) in try fileSystem.sync(spool.temporary.file) }
        } catch {
            giveUp(spool)
            throw error
        }
        return SpooledMedia(
            temporary: spool.temporary, digest: spool.builder.finish(), sizeBytes: spool.sizeBytes)
    }

    package func giveUp(_ spool: MediaSpool) { giveUp(spool.temporary) }
    package func giveUp(_ spooled: SpooledMedia) { giveUp(spooled.temporary) }

    /// Receives the bytes of a file, piece by piece, and makes them durable, without holding a lock.
    ///
    /// - Parameters:
    ///   - name: the name of the file, for the error.
    ///   - next: returns the next piece, empty at the end.
    package func spool(named name: String, _ next: () throws -> [UInt8]) throws -> SpooledMedia {
        var spool = try spool(named: name)
        do {
            while true {
                let piece = try next()
                if piece.isEmpty { break }
                try append(piece, to: &spool)
            }
        } catch {
            giveUp(spool)
            throw error
        }
        return try finish(spool)
    }

    /// The same with the bytes of a file.
    package func spool(named name: String, from content: OpenContent) throws -> SpooledMedia {
        var offset: Int64 = 0
        return try spool(named: name) {
            let piece = try content.piece(at: offset, maximumBytes: .max)
            offset += Int64(piece.count)
            return piece
        }
    }

    /// Runs a function that moves the bytes to their place; after a failure, they are given up.
    func consuming<Result>(_ spooled: SpooledMedia, _ place: () throws -> Result) throws -> Result {
        do {
            let result = try place()
            fileSystem.closeQuietly(spooled.temporary.file)
            return result
        } catch {
            giveUp(spooled.temporary)
            throw error
        }
    }

    /// Gives up received bytes. The next sweep of temporary files removes the rest.
    private func giveUp(_ temporary: TemporaryFile) {
        do throws(FileError) { try fileSystem.removeIfPresent(temporary.path) } catch {}
        fileSystem.closeQuietly(temporary.file)
    }

    /// Receives the bytes of an attachment that arrive with its digest.
    ///
    /// - Returns: whether they were new.
    func take(_ digest: Digest, named name: String, _ next: () throws -> [UInt8]) throws -> Bool {
        let spooled = try spool(named: name, next)
        return try consuming(spooled) {
            guard spooled.digest == digest else { throw TarFault(name, "its bytes are not those of its name") }
            return try outbox.editing {
                let isNew = try !hasBytes(digest)
                try place(spooled)
                return isNew
            }
        }
    }

    /// Removes bytes that exist elsewhere (those of a rejected archive, or of a device's attachment that the upstream
    /// rejected) if nothing here names them. The next sweep moves the rest to quarantine.
    package func giveUp(_ digests: [Digest]) {
        guard !digests.isEmpty else { return }
        do {
            try outbox.editing {
                let use = try use()
                for digest in digests where !use.isNamed(digest) {
                    try fileSystem.removeIfPresent(OutboxLayout.mediaPath(digest))
                }
            }
        } catch {
            // The rejection is the error to report.
        }
    }

    /// Moves the bytes to their place. The caller may hold the edit lock.
    func place(_ spooled: SpooledMedia) throws {
        try place(spooled.temporary.path, spooled.digest, sizeBytes: spooled.sizeBytes)
    }

    /// - Parameter source: a synced file with these bytes.
    func place(_ source: FilePath, _ digest: Digest, sizeBytes: Int64) throws {
        let path = OutboxLayout.mediaPath(digest)
        if let known = try fileSystem.status(at: path), known.kind == .regular, known.sizeBytes == sizeBytes,
            try OpenContent(path, in: fileSystem).digest() == digest
        {
            // The writer may have been killed before it was durable.
            try fileSystem.makeDurable(file: path)
            try fileSystem.removeIfPresent(source)
        } else {
            try outbox.makingRoom { _ throws(FileError) in
                try fileSystem.move(source, to: path, replacing: true)
            }
        }
        try fileSystem.makeDurable(folder: OutboxLayout.media)
    }
}

extension Outbox {
    /// The bytes of attachments.
    package var media: OutboxMedia { OutboxMedia(outbox: self) }
}
