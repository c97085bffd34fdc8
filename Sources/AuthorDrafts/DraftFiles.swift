import Model
import SystemPackage

/// Where drafts are kept: in a folder, or in a bucket that any number of hosts share.
///
/// A state is written once and never changed. Its writer takes its number by writing it: of several writers of one number one is
/// first. Files of a draft, its pictures and sounds, are written once, too.
///
/// When a call returns, its effect is durable. All calls block but `place`.
package protocol DraftFiles: Sendable {
    /// Where a state is, for people.
    func place(of version: Int, of id: TestID) -> FilePath

    /// The states of all drafts that there are, by their ids.
    func all() throws -> [TestID: [Int]]

    /// The states of a draft.
    func states(of id: TestID) throws -> DraftStates

    /// The bytes of some states, by their places in the list; `nil` for one that is not kept any more.
    func bytes(ofEach states: [(version: Int, id: TestID)], maximumBytes: Int64) throws -> [[UInt8]?]

    /// Writes a state.
    ///
    /// - Returns: `false` where there is, or was, one of this number: nothing was written.
    func put(_ bytes: [UInt8], _ version: Int, of id: TestID) throws -> Bool

    /// Removes states that are not kept any more.
    func remove(_ versions: [Int], of id: TestID) throws

    /// Removes a draft with its files, so that no state of it follows.
    ///
    /// - Parameter version: its latest state.
    /// - Returns: `false` where another writer was quicker, and there is a later state: nothing was removed.
    func end(_ id: TestID, after version: Int) throws -> Bool

    /// The id that a new draft of a published questionnaire has to have, where nothing else keeps two writers from making one each;
    /// `nil` where a lock does.
    func freeID(forDraftOf questionnaire: String) throws -> TestID?

    /// Carries something out while no other caller saves, publishes or removes a draft. Where there are no locks it does so at once, and
    /// `put` and `end` show that another writer was quicker.
    func locked<Result>(_ body: () throws -> Result) throws -> Result

    // MARK: Files of drafts

    func countFiles(of id: TestID) throws -> Int

    func put(_ bytes: [UInt8], file: ContentPath, of id: TestID) throws

    /// - Returns: `nil` where there is none of this name.
    func bytes(file: ContentPath, of id: TestID, maximumBytes: Int64) throws -> [UInt8]?

    func hasFile(_ file: ContentPath, of id: TestID) throws -> Bool
}

/// The states of a draft that are kept.
package struct DraftStates: Hashable, Sendable {
    /// In their order; the last one counts.
    package var versions: [Int]
    /// Whether it was removed: then no state follows.
    package var isEnded: Bool

    package init(_ versions: [Int], isEnded: Bool = false) {
        self.versions = versions
        self.isEnded = isEnded
    }
}
