import AuthorDrafts
import Disk
import Model
import ObjectStores
import SystemPackage

/// One file of a copy: its name at the target, and where its bytes come from.
struct CopiedFile: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        case object(ObjectName)
        case bytes([UInt8])
    }

    var source: Source
    /// The time of a file in a folder; `nil` for when it is written.
    var modified: Timestamp?
}

/// The names of a host's files in a folder and in a bucket, and the way from one to the other.
///
/// Files that hosts on a bucket do not use, such as those that they did not write, are kept there unchanged below `folder/`.
enum CopyNames {
    /// Written before anything else: from where the copy is.
    static let marker = "copied-from.json"
    /// Written last, and removed first when the copy is made again.
    static let completion = "copy-complete.json"
    static let kept = "folder/"
    /// Folders of a bucket that are made from other files, or are never copied.
    private static let ofBucket: Set<String> = ["attempts", "changes", "contents", "uploads"]

    // MARK: - From a folder to a bucket

    /// The files of a folder by their names in a bucket, without what follows from their content.
    static func inBucket(_ files: [ObjectStatus]) throws(ObjectStoreError) -> [ObjectName: CopiedFile] {
        var last: [TestID: Int] = [:]
        for file in files {
            if let (id, number) = formerReceipt(file.name.text) { last[id] = max(number, last[id] ?? 0) }
        }
        var found: [ObjectName: CopiedFile] = [:]
        for file in files where !isTransient(file.name.text) {
            let name = try name(bucketName(file.name.text) { last[$0] ?? 0 })
            found[name] = CopiedFile(source: .object(file.name))
        }
        return found
    }

    static func bucketName(_ path: String, _ lastFormer: (TestID) -> Int) throws(ObjectStoreError) -> String {
        let parts = path.split(separator: "/").map(String.init)
        if let (id, number) = formerReceipt(path) { return try version(number, HostLayout.receipt(id)) }
        switch parts.first {
        case HostLayout.tests.string where parts.count == 2 && HostLayout.testID(ofFile: parts[1]) != nil: return path
        case HostLayout.receipts.string where parts.count == 2:
            guard let id = HostLayout.receiptID(ofFile: parts[1]) else { return kept + path }
            return try version(lastFormer(id) + 1, HostLayout.receipt(id))
        case HostLayout.media.string, HostLayout.access.string, HostLayout.favorites.string: return path
        case HostLayout.publications.string where parts.count == 2: return path
        case HostLayout.drafts.folder.string where parts.count > 2 && DraftLayout.id(ofFolder: parts[1]) != nil:
            if parts.count == 3, let number = DraftLayout.version(ofFile: parts[2]) {
                return try version(number, FilePath(path).folder)
            }
            return parts.count == 4 && isDraftFile(parts[2...]) ? path : kept + path
        case HostLayout.owners.string, HostLayout.comments.string: return try version(1, FilePath(path))
        default: return path == HostLayout.peopleList.string ? try version(1, FilePath(path)) : kept + path
        }
    }

    /// - Parameter path: below the draft's folder.
    private static func isDraftFile(_ path: ArraySlice<String>) -> Bool {
        ContentPath(path.joined(separator: "/")) != nil
    }

    private static func formerReceipt(_ path: String) -> (id: TestID, number: Int)? {
        let parts = path.split(separator: "/")
        guard parts.count == 3, parts[0] == HostLayout.receipts.string, let id = TestID(parts[1]),
            id.description == parts[1], let number = HostLayout.receiptNumber(ofFile: String(parts[2]))
        else { return nil }
        return (id, number)
    }

    // MARK: - From a bucket to a folder

    /// The files of a bucket by their names in a folder, without its questionnaires.
    ///
    /// - Parameter isReplaced: whether a file that was kept as it was has been replaced by what hosts published.
    static func inFolder(
        _ files: [ObjectStatus], isReplaced: (_ path: String) -> Bool
    ) throws(ObjectStoreError) -> [ObjectName: CopiedFile] {
        var found: [ObjectName: CopiedFile] = [:]
        var versions: [String: [(number: Int, object: ObjectName)]] = [:]
        let endedDrafts = Set(files.compactMap { $0.sizeBytes == 0 ? draftState($0.name)?.id : nil })
        for file in files where !isTransient(file.name.text) {
            let text = file.name.text
            let top = String(text.prefix { $0 != "/" })
            if ofBucket.contains(top) { continue }
            if text.hasPrefix(kept) {
                let path = String(text.dropFirst(kept.count))
                if !isReplaced(path) { found[try name(path)] = CopiedFile(source: .object(file.name)) }
            } else if let draft = draft(file.name), endedDrafts.contains(draft) {
                // The rest of a removed draft is not copied.
                continue
            } else if let (id, number) = draftState(file.name) {
                let path = HostLayout.drafts.state(number, of: id).string
                found[try name(path)] = CopiedFile(source: .object(file.name))
            } else if isReplacedFile(top, text), let number = HostBucket.number(file.name) {
                let path = FilePath(text).folder.string
                versions[path, default: []].append((number, file.name))
            } else {
                let isTest = top == HostLayout.tests.string
                let copied = CopiedFile(source: .object(file.name), modified: isTest ? file.modified : nil)
                // A file that came from a folder goes first.
                if found[file.name] == nil { found[file.name] = copied }
            }
        }
        for (path, all) in versions {
            let numbered = all.sorted { $0.number < $1.number }
            guard let current = numbered.last else { continue }
            found[try name(path)] = CopiedFile(source: .object(current.object))
            guard let file = FilePath(path).name, let id = HostLayout.receiptID(ofFile: file),
                path == HostLayout.receipt(id).string
            else { continue }
            for former in numbered.dropLast() {
                found[try name(HostLayout.formerReceipt(former.number, of: id).string)] =
                    CopiedFile(source: .object(former.object))
            }
        }
        return found
    }

    /// The draft that a file belongs to.
    private static func draft(_ name: ObjectName) -> TestID? {
        let parts = name.text.split(separator: "/")
        guard parts.count > 2, parts[0] == HostLayout.drafts.folder.string else { return nil }
        return DraftLayout.id(ofFolder: String(parts[1]))
    }

    private static func draftState(_ name: ObjectName) -> (id: TestID, number: Int)? {
        let parts = name.text.split(separator: "/")
        guard parts.count == 3, let id = draft(name), let number = ObjectVersion.number(in: parts[2]) else {
            return nil
        }
        return (id, number)
    }

    private static func isReplacedFile(_ top: String, _ text: String) -> Bool {
        [HostLayout.receipts, HostLayout.owners, HostLayout.comments].contains { $0.string == top }
            || text.hasPrefix(HostLayout.peopleList.string + "/")
    }

    // MARK: - The same at both ends

    /// The files of a place for another of its kind.
    static func same(_ files: [ObjectStatus], isFolder: Bool) -> [ObjectName: CopiedFile] {
        var found: [ObjectName: CopiedFile] = [:]
        for file in files where !isTransient(file.name.text) {
            // A host notes in a bucket that it has run there: at the target none has.
            if !isFolder, file.name.text == HostLayout.started.string { continue }
            found[file.name] = CopiedFile(source: .object(file.name), modified: isFolder ? file.modified : nil)
        }
        return found
    }

    /// Whether hosts of a bucket write such files, and a copy from a folder makes them of others.
    static func isMadeOfQuestionnaires(_ name: ObjectName) -> Bool {
        [HostLayout.changes, HostLayout.contents].contains { name.hasPrefix($0.string + "/") }
    }

    /// Locks, files that are being written or received, and the note of a copy.
    private static func isTransient(_ path: String) -> Bool {
        let top = String(path.prefix { $0 != "/" })
        return HostLayout.transientNames.contains(top) || top == HostLayout.proof.string || isOfCopy(path)
    }

    /// The copy's own notes.
    static func isOfCopy(_ path: String) -> Bool { path == marker || path == completion }

    private static func version(_ number: Int, _ path: FilePath) throws(ObjectStoreError) -> String {
        try HostBucket.version(number, of: path).text
    }

    private static func name(_ text: String) throws(ObjectStoreError) -> ObjectName { try HostBucket.name(text) }
}
