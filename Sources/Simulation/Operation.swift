import SystemPackage

/// One call that a process made on a simulated disk, as the log keeps it.
///
/// Its description is what tests of order compare: `sync outbox/tmp/t1`, `rename outbox/tmp/t1 to outbox/done/a`,
/// `syncFolder outbox/done`.
package struct Operation: Hashable, Sendable, CustomStringConvertible {
    /// The verbs of `FileSystem`, by their names; `status`, `open` and `lock` in each of their forms.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case open, create, update, close, read, write, resize, allocate, sync, status, lock
        case list, makeFolder, removeFolder, rename, remove, setModified, setPermissions, syncFolder, freeBytes
    }

    /// From 1 on, over all processes of the disk.
    package let number: Int
    package let process: Int
    package let kind: Kind
    /// Of an open file, the path that it was opened by.
    package let path: FilePath
    /// The target of a rename.
    package let target: FilePath?

    package var description: String {
        var text = path.isEmpty ? kind.rawValue : "\(kind.rawValue) \(path.string)"
        if let target { text += " to \(target.string)" }
        return text
    }

    /// Refused by a disk that is full. A name needs space too where its folder has to grow.
    var takesSpace: Bool {
        switch kind {
        case .create, .makeFolder, .write, .allocate: true
        default: false
        }
    }

    /// Refused by a disk that is mounted read-only, whatever it is called on.
    var changesNames: Bool {
        switch kind {
        case .create, .makeFolder, .removeFolder, .rename, .remove, .setModified, .setPermissions: true
        default: false
        }
    }
}
