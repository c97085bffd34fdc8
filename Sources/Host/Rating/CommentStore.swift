import Disk
import Model
import SystemPackage

/// The comments that markers keep for other answers: a file for each list and questionnaire.
///
/// A list is replaced in one piece. All calls block on the disk.
package struct CommentStore: Sendable {
    /// So many comments are in a list at most.
    static let mostComments = 200
    private static let maximumBytes: Int64 = 8 << 20

    private let files: any HostFiles

    package init(files: any HostFiles) { self.files = files }

    /// Those of the marker, then those for everyone who marks.
    ///
    /// - Throws: `HostError.damaged`, `FileError`.
    package func shown(to marker: SavedComment.Owner, questionnaire: String) throws -> [SavedComment] {
        let own = try list(of: marker, questionnaire: questionnaire)
        let known = Set(own.map(\.id))
        return own + (try list(of: .everyone, questionnaire: questionnaire)).filter { !known.contains($0.id) }
    }

    /// Saves a comment in the list that it says it is in, and nowhere else. When it returns, it is durable.
    ///
    /// - Returns: `false` when that list is full.
    package func save(_ comment: SavedComment, by marker: SavedComment.Owner, questionnaire: String) throws -> Bool {
        let (target, other) = comment.isForEveryone ? (.everyone, marker) : (marker, SavedComment.Owner.everyone)
        guard try save(comment, in: target, questionnaire: questionnaire) else { return false }
        // After a crash in between, it is in both lists and shown once.
        try remove(comment.id, from: other, questionnaire: questionnaire)
        return true
    }

    package func remove(_ id: TestID, by marker: SavedComment.Owner, questionnaire: String) throws {
        for owner in [marker, .everyone] { try remove(id, from: owner, questionnaire: questionnaire) }
    }

    // MARK: One list

    /// In the order in which they were added.
    ///
    /// - Throws: `HostError.damaged`, `FileError`.
    private func list(of owner: SavedComment.Owner, questionnaire: String) throws -> [SavedComment] {
        try current(owner, questionnaire).comments
    }

    private func current(
        _ owner: SavedComment.Owner, _ questionnaire: String
    ) throws -> (comments: [SavedComment], version: FileVersion?) {
        let path = HostLayout.comments(of: owner, questionnaire: questionnaire)
        guard let version = try files.current(path, maximumBytes: Self.maximumBytes) else { return ([], nil) }
        do {
            let comments = try DocumentCoding.decode(SavedComment.List.self, from: version.bytes).comments.map {
                SavedComment(
                    id: $0.id, text: $0.text, question: $0.question, points: $0.points,
                    isForEveryone: owner == .everyone)
            }
            return (comments, version)
        } catch {
            throw HostError.damaged(files.place(of: path), reason: "\(error)")
        }
    }

    /// Adds a comment, or replaces the one with its id. When it returns, it is durable.
    ///
    /// A comment with the same text, question and points is not added a second time.
    ///
    /// - Returns: `false` when the list is full.
    private func save(_ comment: SavedComment, in owner: SavedComment.Owner, questionnaire: String) throws -> Bool {
        try change(owner, questionnaire) { list in
            if let place = list.firstIndex(where: { $0.id == comment.id }) {
                list[place] = comment
            } else if !list.contains(where: { $0.isSame(as: comment) }) {
                guard list.count < Self.mostComments else { return false }
                list.append(comment)
            }
            return true
        }
    }

    private func remove(_ id: TestID, from owner: SavedComment.Owner, questionnaire: String) throws {
        _ = try change(owner, questionnaire) { list in
            list.removeAll { $0.id == id }
            return true
        }
    }

    private func change(
        _ owner: SavedComment.Owner, _ questionnaire: String, _ act: (inout [SavedComment]) -> Bool
    ) throws -> Bool {
        try files.locked(HostLayout.commentsLock) {
            let path = HostLayout.comments(of: owner, questionnaire: questionnaire)
            // Where nothing keeps others out, the quicker writer's list is changed.
            while true {
                let (known, version) = try current(owner, questionnaire)
                var list = known
                guard act(&list) else { return false }
                guard list != known else {
                    // The process that wrote it may have been killed before the name was durable.
                    if version != nil { try files.confirm(path) }
                    return true
                }
                let bytes = try DocumentCoding.encode(
                    SavedComment.List(
                        comments: list.map {
                            SavedComment.List.Item(id: $0.id, text: $0.text, question: $0.question, points: $0.points)
                        }))
                // A longer one could not be read again.
                guard bytes.count <= Self.maximumBytes else { return false }
                if try files.replace(path, bytes, former: version) { return true }
            }
        }
    }
}

extension SavedComment {
    fileprivate func isSame(as other: SavedComment) -> Bool {
        text == other.text && question == other.question && points == other.points
    }
}

/// The comments that a marker chooses from. All of it blocks on the disk.
extension HostServices {
    /// Those of the marker, then those for everyone who marks.
    ///
    /// - Parameter questionnaire: the host's id, or the one of the device that made it.
    package func savedComments(for identity: HostIdentity, questionnaire: String) throws -> [SavedComment] {
        try comments.shown(to: .marker(key: identity.key), questionnaire: hostID(of: questionnaire))
    }

    /// Saves a comment in the list that it says it is in, and nowhere else.
    ///
    /// - Returns: `false` when that list is full.
    package func save(_ comment: SavedComment, for identity: HostIdentity, questionnaire: String) throws -> Bool {
        try comments.save(comment, by: .marker(key: identity.key), questionnaire: hostID(of: questionnaire))
    }

    package func removeComment(_ comment: TestID, for identity: HostIdentity, questionnaire: String) throws {
        try comments.remove(comment, by: .marker(key: identity.key), questionnaire: hostID(of: questionnaire))
    }

    private var comments: CommentStore { CommentStore(files: archive.hostFiles) }

    private func hostID(of questionnaire: String) throws -> String {
        try archive.catalog.entry(id: questionnaire)?.id ?? questionnaire
    }
}
