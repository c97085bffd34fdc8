import Disk
import SystemPackage

extension CopyNames {
    /// Gives drafts, their files and notes of publications the names that hosts on a bucket use: copies of earlier versions of Quire have
    /// them below `folder/`. Any number of hosts may do it at once, and be killed meanwhile.
    static func settle(_ files: HostBucket) throws {
        for folder in [HostLayout.drafts.folder, HostLayout.publications] {
            let former = FilePath(kept + folder.string)
            for found in try files.files(below: former) {
                let path = former.pushing(FilePath(found.name))
                let name = try bucketName(folder.pushing(FilePath(found.name)).string) { _ in 0 }
                guard !name.hasPrefix(kept), let bytes = try files.bytes(of: path, maximumBytes: longestSettledBytes)
                else { continue }
                _ = try files.putIfAbsent(bytes, as: FilePath(name))
                try files.remove(path)
            }
        }
    }

    /// No draft and no file of one is longer.
    private static let longestSettledBytes: Int64 = 64 << 20
}
