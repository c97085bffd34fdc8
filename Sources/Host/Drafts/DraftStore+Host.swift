import AuthorDrafts
import Disk
import Model

extension DraftStore {
    /// The drafts of a host: in its folder, or in the bucket that hosts share.
    package init(of archive: TestArchive, clock: any StoreClock) {
        if let shared = archive.shared {
            self.init(files: DraftBucket(shared.files, clock: clock), clock: clock)
        } else {
            self.init(ofHost: archive.fileSystem, clock: clock)
        }
    }

    /// The drafts in a host's folder.
    package init(ofHost fileSystem: any FileSystem, clock: any StoreClock) {
        self.init(fileSystem: fileSystem, clock: clock, layout: HostLayout.drafts)
    }
}
