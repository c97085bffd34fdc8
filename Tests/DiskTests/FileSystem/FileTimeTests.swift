import Disk
import Foundation
import Glibc
import Model
import SystemPackage
import Testing

@Suite("Times of files")
struct FileTimeTests {
    @Test(
        "an implausible time is the end of the range, and stops nothing",
        arguments: [20_000_000_000, -20_000_000_000])
    func beyond(_ seconds: Int) throws {
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "file").path
        try Data().write(to: URL(filePath: path))
        let times = [timespec(tv_sec: seconds, tv_nsec: 5), timespec(tv_sec: seconds, tv_nsec: 5)]
        try #require(utimensat(AT_FDCWD, path, times, 0) == 0)
        let files = try POSIXFileSystem(root: FilePath(folder.path))
        let status = try #require(try files.status(at: "file"))
        // A file system may have a shorter range than the call.
        let year: Int64 = 366 * 86_400 * 1_000_000_000
        #expect(seconds > 0 ? status.modifiedNanoseconds > 100 * year : status.modifiedNanoseconds < -50 * year)
        #expect(status.nextModifiedNanoseconds != status.modifiedNanoseconds)
        try files.setModified("file", nanoseconds: status.modified.nanosecondsSinceEpoch)
    }

    @Test("moments beyond the range of file systems are its ends")
    func moments() {
        #expect(Timestamp(millisecondsSinceEpoch: .max).nanosecondsSinceEpoch == .max)
        #expect(Timestamp(millisecondsSinceEpoch: -10_000_000_000_000).nanosecondsSinceEpoch == .min)
        #expect(Timestamp(millisecondsSinceEpoch: 1).nanosecondsSinceEpoch == 1_000_000)
    }
}
