import AuthorDrafts
import Disk
import Model

extension DraftStore {
    /// The drafts in a host's folder.
    package init(ofHost fileSystem: any FileSystem, clock: any StoreClock) {
        self.init(fileSystem: fileSystem, clock: clock, layout: HostLayout.drafts)
    }
}
