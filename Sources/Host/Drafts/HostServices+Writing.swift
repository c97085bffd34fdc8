import AuthorDrafts
import Disk
import Model

/// What authors need who write questionnaires on the host's pages. All of it blocks on the disk.
extension HostServices {
    /// A published questionnaire as its author wrote it, with its key.
    package func original(_ id: String) throws -> OriginalDocument? {
        guard let entry = try archive.catalog.entry(id: id), let bytes = try archive.catalog.file(of: entry) else {
            return nil
        }
        return OriginalDocument(id: entry.id, bytes: bytes)
    }

    /// Publishes a draft as any author's change is, and removes it then.
    ///
    /// - Parameters:
    ///   - name: of who publishes it.
    ///   - replaces: whether a version is replaced that the draft was not made from.
    /// - Throws: `DocumentFault` for a document that is not right, `HostError`, `FileError`.
    package func publish(_ draft: AuthorDraft, by name: String?, replaces: Bool = false) throws -> DraftPublishing {
        try drafts.withLock {
            guard try drafts.isLatest(draft) else { return .savedMeanwhile }
            return try publishLatest(draft, by: name, replaces: replaces)
        }
    }

    private func publishLatest(_ draft: AuthorDraft, by name: String?, replaces: Bool) throws -> DraftPublishing {
        let bytes = try Self.bytes(publishing: draft)
        // Before the document: no device gets one whose pictures are not there.
        try publishMedia(of: draft, try AnswerKey.checkedQuestionnaire(json: bytes))
        let known = try changes.made(draft.change)
        let isRepeated = known?.digest == Digest(sha256Of: bytes)
        // A crash after publishing may have left the draft, and its author wrote on.
        let change = known == nil || isRepeated ? draft.change : .random()
        let published = try draft.questionnaire ?? archive.catalog.entry(id: draft.id.description)?.id
        var write: QuestionnaireWrite
        if let id = published, known?.action != .create || !isRepeated {
            let original = try original(id)
            let entry = try archive.catalog.entry(id: id)
            let current = entry?.digest
            // Where the published version is an earlier state of this draft, no one else has changed it.
            var isOwn = current != nil && known?.published?.digest == current
            // A host that was killed after the file was written has no receipt of it.
            if let entry, let original, !isOwn, !isRepeated, !replaces, original.digest != draft.base {
                isOwn = try isSavedState(of: draft, original.bytes, entry)
            }
            let base = isOwn ? original?.digest : draft.base
            if !isRepeated, !replaces, original?.digest != base { return .changedMeanwhile }
            write = QuestionnaireWrite(
                change: change, action: .edit, questionnaire: id,
                base: replaces ? .any : .versions(Set([current?.hex].compactMap { $0 })),
                policy: replaces ? .client : .ask, document: bytes)
            if !replaces, !isRepeated { write.replacedFile = base }
        } else {
            write = QuestionnaireWrite(
                change: change, action: .create, questionnaire: draft.id.description, base: .none, document: bytes)
        }
        write.author = name.flatMap { $0.isEmpty ? nil : $0 }
        switch try changes.carryOut(write) {
        case .stored(let receipt), .known(let receipt):
            let stored = try DocumentCoding.decode(Receipt.self, from: receipt).published?.id
            let id = stored ?? draft.questionnaire ?? draft.id.description
            // Before the draft goes: after a crash it is published again, which changes nothing else.
            try notePublication(of: id, by: name)
            try drafts.end(draft)
            return .published(id)
        case .different, .mismatch: return .changedMeanwhile
        }
    }

    /// The document that publishing a draft sends.
    private static func bytes(publishing draft: AuthorDraft) throws -> [UInt8] {
        var document = draft.document
        // A document without any key would get that of the version before.
        if case .object(var members) = document, AnswerKey.memberNames.isDisjoint(with: members.keys) {
            members["key"] = .object([:])
            document = .object(members)
        }
        return try DocumentCoding.encode(document)
    }

    /// Whether the file of a questionnaire is what publishing a saved state of a draft makes.
    private func isSavedState(of draft: AuthorDraft, _ file: [UInt8], _ entry: CatalogEntry) throws -> Bool {
        try drafts.readableStates(of: draft.id).contains { state in
            do {
                return try changes.isMade(file, of: entry, from: Self.bytes(publishing: state))
            } catch is DocumentFault {
                // A state with a fault was never published.
                return false
            }
        }
    }
}
