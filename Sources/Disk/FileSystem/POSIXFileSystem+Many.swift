import CLinux
import Dispatch
import Glibc
import Synchronization
import SystemPackage

extension POSIXFileSystem {
    /// For so few names, starting another thread takes longer.
    private static let fewNames = 500

    package func statuses(of names: [String], in folder: FilePath) throws(FileError) -> [FileStatus?] {
        // The folder's path is looked up once, and not for each of up to a hundred thousand names.
        let descriptor = Self.uninterrupted {
            quire_open_folder(rootDescriptor, folder.isEmpty ? "." : folder.string)
        }
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return names.map { _ in nil } }
            throw failure("look at", folder)
        }
        defer { _ = Glibc.close(descriptor) }
        var statuses = [FileStatus?](repeating: nil, count: names.count)
        let firstFailure = Mutex<(place: Int, code: Int32)?>(nil)
        // The kernel looks up names for several threads in parallel, and two threads halve the time on the smallest
        // machine.
        let parts = names.count > Self.fewNames ? 2 : 1
        statuses.withUnsafeMutableBufferPointer { statuses in
            // Proof: each part writes to its own places alone, and all of them have ended before the buffer goes.
            nonisolated(unsafe) let statuses = statuses
            DispatchQueue.concurrentPerform(iterations: parts) { part in
                for place in names.count * part / parts..<names.count * (part + 1) / parts {
                    var result = stat()
                    if fstatat(descriptor, names[place], &result, AT_SYMLINK_NOFOLLOW) == 0 {
                        statuses[place] = FileStatus(result)
                    } else if errno != ENOENT && errno != ENOTDIR {
                        let code = errno
                        return firstFailure.withLock { $0 = $0 ?? (place, code) }
                    }
                }
            }
        }
        if let (place, code) = firstFailure.withLock({ $0 }) {
            throw FileError("look at", root.pushing(folder.appending(name: names[place])), Errno(rawValue: code))
        }
        return statuses
    }

    package func remove(_ names: [String], in folder: FilePath) throws(FileError) {
        var failure: FileError?
        var parent = ""
        var descriptor: Int32 = -1
        defer { if descriptor >= 0 { _ = Glibc.close(descriptor) } }
        for name in names {
            let (above, last) = Self.split(name)
            if descriptor < 0 || above != parent {
                if descriptor >= 0 { _ = Glibc.close(descriptor) }
                parent = above
                let path = above.isEmpty ? folder.string : folder.string + "/" + above
                descriptor = Self.goesUp(path) ? -1 : quire_open_folder_beneath(rootDescriptor, path)
            }
            if descriptor >= 0, unlinkat(descriptor, last, 0) == 0 || errno == ENOENT { continue }
            // One by one, where the kernel lacks the call; after a failure, this reports the reason.
            do throws(FileError) {
                try removeIfPresent(folder.appending(name: name))
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }
}
