import Model
import SystemPackage

/// Complete files, read and written on top of the seam.
extension FileSystem {
    /// Repeats a call while signals interrupt it.
    @inline(__always)
    package func continuing<Result>(_ call: () throws(FileError) -> Result) throws(FileError) -> Result {
        while true {
            do throws(FileError) {
                return try call()
            } catch {
                if !error.code.isInterrupt { throw error }
            }
        }
    }

    /// The complete content of a regular file.
    ///
    /// - Throws: `FileError`; `EFBIG` if it is longer than `maximumBytes`, `EFTYPE`-like `EINVAL` if it is not a
    ///   regular file (a folder, a pipe, a device).
    package func readFile(
        _ path: FilePath, maximumBytes: Int64
    ) throws(FileError) -> (bytes: [UInt8], status: FileStatus) {
        let file = try continuing { () throws(FileError) in try open(path, .read) }
        let status: FileStatus
        let bytes: [UInt8]
        do throws(FileError) {
            status = try continuing { () throws(FileError) in try self.status(file) }
            guard status.kind == .regular else { throw FileError.notAFile(root.pushing(path), status.kind) }
            guard status.sizeBytes <= maximumBytes else { throw FileError("read", root.pushing(path), .fileTooLarge) }
            bytes = try readAll(file, sizeBytes: Int(status.sizeBytes), maximumBytes: Int(maximumBytes), path: path)
        } catch {
            closeQuietly(file)
            throw error
        }
        // Outside the block above: after a failed close the descriptor may already be another thread's.
        try close(file)
        return (bytes, status)
    }

    /// The same; `nil` if there is no such file.
    package func readFileIfPresent(
        _ path: FilePath, maximumBytes: Int64
    ) throws(FileError) -> (bytes: [UInt8], status: FileStatus)? {
        do throws(FileError) {
            return try readFile(path, maximumBytes: maximumBytes)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    private func readAll(
        _ file: OpenFile, sizeBytes: Int, maximumBytes: Int, path: FilePath
    ) throws(FileError) -> [UInt8] {
        var count = sizeBytes + 1
        var bytes = try readPiece(file, at: 0, count: count)
        // The file grew during the read.
        while bytes.count == count, count <= maximumBytes {
            let more = max(4096, count)
            bytes += try readPiece(file, at: Int64(count), count: more)
            count += more
        }
        if bytes.count > maximumBytes { throw FileError("read", root.pushing(path), .fileTooLarge) }
        return bytes
    }

    /// `count` bytes, or fewer at the end of the file.
    package func readPiece(_ file: OpenFile, at offset: Int64, count: Int) throws(FileError) -> [UInt8] {
        // An array without capacity is shared by all threads, and its length would be written here.
        if count == 0 { return [] }
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            do throws(FileError) {
                while done < count {
                    let rest = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[done...]))
                    let place = offset + Int64(done)
                    let got = try continuing { () throws(FileError) in try read(file, into: rest, at: place) }
                    if got == 0 { break }
                    done += got
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all bytes from `offset` on, continuing after short writes and interrupts.
    package func writeAll(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int64 = 0) throws(FileError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = try continuing { () throws(FileError) in try write(file, rest, at: offset + Int64(done)) }
            // A device that writes nothing and reports no error is full.
            if count == 0 { throw FileError("write", root, .noSpace) }
            done += count
        }
    }

    package func writeAll(_ file: OpenFile, _ bytes: [UInt8], at offset: Int64 = 0) throws(FileError) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(FileError) in
            try writeAll(file, UnsafeRawBufferPointer(buffer), at: offset)
        }
    }

    /// Closes a file whose result no longer matters, since another error is being reported.
    package func closeQuietly(_ file: OpenFile) {
        do throws(FileError) { try close(file) } catch {}
    }

    /// Removes a file; a missing one is no error.
    package func removeIfPresent(_ path: FilePath) throws(FileError) {
        do throws(FileError) {
            try continuing { () throws(FileError) in try remove(path) }
        } catch {
            if !error.isMissing { throw error }
        }
    }

    /// Makes a folder where it is missing.
    ///
    /// - Returns: whether it was made.
    @discardableResult
    package func makeFolderIfMissing(_ path: FilePath) throws(FileError) -> Bool {
        do throws(FileError) {
            try continuing { () throws(FileError) in try makeFolder(path) }
            return true
        } catch {
            if error.code != .fileExists { throw error }
            return false
        }
    }

    /// The same for a folder of durable data: its own name is made durable before anything is written into it. Also if
    /// it exists already: its maker may have been killed before that.
    package func makeDurableFolder(_ path: FilePath) throws(FileError) {
        try makeFolderIfMissing(path)
        try makeDurable(folder: path.folder)
    }

    /// Moves a file, retrying after interrupts.
    package func move(_ source: FilePath, to target: FilePath, replacing: Bool) throws(FileError) {
        try continuing { () throws(FileError) in try rename(source, to: target, replacing: replacing) }
    }

    /// Makes the current bytes of a file durable, whichever process wrote them.
    package func makeDurable(file path: FilePath) throws(FileError) {
        let file = try continuing { () throws(FileError) in try open(path, .read) }
        do throws(FileError) {
            try continuing { () throws(FileError) in try sync(file) }
        } catch {
            closeQuietly(file)
            throw error
        }
        try close(file)
    }

    /// Makes the names in a folder durable, retrying after interrupts.
    package func makeDurable(folder: FilePath) throws(FileError) {
        try continuing { () throws(FileError) in try syncFolder(folder) }
    }
}
