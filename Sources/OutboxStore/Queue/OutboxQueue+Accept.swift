import Disk
import Model
import SystemPackage

/// Accepts tests that another device finished, and changes made there, in order to forward them.
extension OutboxQueue {
    package enum Acceptance: Hashable, Sendable {
        /// It is stored here now, durably.
        case taken
        /// The same bytes are here already, with this status.
        case known(TestStatus)
        /// Other bytes are here under this id, and stay.
        case different(TestStatus)
    }

    /// Stores a finished test unchanged. When this returns, its bytes survive a crash.
    ///
    /// Other bytes that were rejected (`rejected`, `conflict`) make room: they go to quarantine, where nothing is lost.
    ///
    /// - Parameter bytes: a test with this id, checked by the caller.
    package func accept(_ id: TestID, bytes: [UInt8]) throws -> Acceptance {
        try outbox.adding {
            while let item = try outbox.find(id) {
                let known: [UInt8]
                do throws(FileError) {
                    known = try fileSystem.readFile(item.path, maximumBytes: Outbox.maximumTestBytes).bytes
                } catch {
                    // The sweeper has just moved it.
                    if error.isMissing { continue }
                    throw error
                }
                if known == bytes {
                    // An earlier call may have stored it and failed at the sync: the result must survive a crash.
                    try fileSystem.makeDurable(folder: OutboxLayout.folder(item.status))
                    return .known(item.status)
                }
                guard item.status == .rejected || item.status == .conflict else { return .different(item.status) }
                try outbox.moves.putAside(item, reason: "other bytes came under this id after these were refused")
            }
            try outbox.put(bytes, to: OutboxLayout.testPath(id, .done), replacing: false)
            return .taken
        }
    }

    /// Stores a change as its device requests it. When this returns, it survives a crash.
    ///
    /// It counts as the same change if its action, content and target are the same. A rejected one (`rejected`,
    /// `conflict`) with another base or rule makes room, too.
    ///
    /// - Parameter make: makes the change, with its own identity, from the moment and its number here.
    package func accept(
        _ id: TestID, deviceID: String, _ make: (Timestamp, Int) throws -> OutgoingChange
    ) throws -> Acceptance {
        try outbox.adding {
            while let item = try outbox.find(id) {
                if item.kind == .test { return .different(item.status) }
                let arriving = try make(clock.now, 0)
                let known: OutgoingChange
                do {
                    known = try outbox.readChange(item).change
                } catch OutboxError.notFound {
                    // The sweeper has just moved it.
                    continue
                }
                let isRefused = item.status == .rejected || item.status == .conflict
                if known.isSame(as: arriving), !isRefused || known.isBased(as: arriving) {
                    // An earlier call may have stored it and failed at the sync: the result must survive a crash.
                    try fileSystem.makeDurable(folder: OutboxLayout.folder(item.status))
                    return .known(item.status)
                }
                guard isRefused else { return .different(item.status) }
                try outbox.moves.putAside(item, reason: "another request came under this id after this one was refused")
            }
            let change = try make(clock.now, try outbox.sequence.next(deviceID: deviceID))
            let item = OutboxItem(id: id, kind: change.kind, status: .done)
            try outbox.put(try change.file(), to: item.path, replacing: false)
            return .taken
        }
    }

    /// Stores an attachment, with its bytes if they are missing. When this returns, both survive a crash.
    ///
    /// - Parameters:
    ///   - media: as its test or its questionnaire, which is here, names it.
    ///   - source: a synced file within the store with its bytes, which is moved away; `nil` without one.
    /// - Returns: `nil` if the bytes are missing: then nothing is stored.
    package func accept(_ media: MediaChange, bytesAt source: FilePath? = nil) throws -> Acceptance? {
        try outbox.makeFolders()
        return try outbox.editing {
            while let item = try outbox.find(media.id) {
                do {
                    guard case .media(let known) = try outbox.readChange(item).change, known.digest == media.digest,
                        known.owner == media.owner
                    else { return .different(item.status) }
                } catch OutboxError.notFound {
                    // The sweeper has just moved it.
                    continue
                }
                if !item.status.isDelivered {
                    if let source { try outbox.media.place(source, media.digest, sizeBytes: media.sizeBytes) }
                    // The bytes were removed meanwhile.
                    guard try outbox.media.hasBytes(media.digest) || outbox.media.isDelivered(media.digest) else {
                        return nil
                    }
                }
                // An earlier call may have stored it and failed at the sync: the result must survive a crash.
                try fileSystem.makeDurable(folder: OutboxLayout.folder(item.status))
                return .known(item.status)
            }
            // The bytes first: an item never names missing bytes.
            if let source {
                try outbox.media.place(source, media.digest, sizeBytes: media.sizeBytes)
            } else if try outbox.media.hasBytes(media.digest) {
                try fileSystem.makeDurable(folder: OutboxLayout.media)
            } else {
                return nil
            }
            let item = OutboxItem(id: media.id, kind: .media, status: .done)
            try outbox.put(try DocumentCoding.encode(media), to: item.path, replacing: false)
            return .taken
        }
    }
}

extension OutgoingChange {
    /// Whether both have the same action, content and target.
    fileprivate func isSame(as other: OutgoingChange) -> Bool {
        action == other.action && questionnaire == other.questionnaire && contentDigest == other.contentDigest
    }

    /// Whether both have the same base version and rule.
    fileprivate func isBased(as other: OutgoingChange) -> Bool {
        guard case .questionnaire(let mine) = self, case .questionnaire(let theirs) = other else { return true }
        return mine.base?.etag == theirs.base?.etag && mine.policy == theirs.policy
    }
}
