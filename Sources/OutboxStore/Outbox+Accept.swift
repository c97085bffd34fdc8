import Disk
import Model
import SystemPackage

/// Tests that another device finished, and changes that were made there; they are handed on from here.
extension Outbox {
    package enum Acceptance: Hashable, Sendable {
        /// It is kept here from now on, durably.
        case taken
        /// These very bytes are here already, in this state.
        case known(TestStatus)
        /// Other bytes are here under this id, and stay.
        case different(TestStatus)
    }

    /// Takes a finished test as it is. When this returns, its bytes survive a crash.
    ///
    /// Other bytes that were refused (`rejected`, `conflict`) make room: they go to quarantine, where nothing is lost.
    ///
    /// - Parameter bytes: a test with this id, checked by the caller.
    package func accept(_ id: TestID, bytes: [UInt8]) throws -> Acceptance {
        try adding {
            while let item = try find(id) {
                let known: [UInt8]
                do throws(FileError) {
                    known = try fileSystem.readFile(item.path, maximumBytes: Self.maximumTestBytes).bytes
                } catch {
                    // The sweeper moved it on in this moment.
                    if error.isMissing { continue }
                    throw error
                }
                if known == bytes {
                    // It may have got here and failed at the sync: what is said now holds after a crash.
                    try fileSystem.makeDurable(folder: OutboxLayout.folder(item.status))
                    return .known(item.status)
                }
                guard item.status == .rejected || item.status == .conflict else { return .different(item.status) }
                try putAside(item, reason: "other bytes came under this id after these were refused")
            }
            try put(bytes, to: OutboxLayout.testPath(id, .done), replacing: false)
            return .taken
        }
    }

    /// Takes a change as its device asks for it. When this returns, it survives a crash.
    ///
    /// It is the same change when it does the same with the same content to the same thing. One that was refused
    /// (`rejected`, `conflict`) and comes with another base or rule makes room, too.
    ///
    /// - Parameter make: makes the change, with its own identity, from the moment and its number here.
    package func accept(
        _ id: TestID, deviceID: String, _ make: (Timestamp, Int) throws -> OutgoingChange
    ) throws -> Acceptance {
        try adding {
            while let item = try find(id) {
                if item.kind == .test { return .different(item.status) }
                let arriving = try make(clock.now, 0)
                let known: OutgoingChange
                do {
                    known = try readChange(item).change
                } catch OutboxError.notFound {
                    // The sweeper moved it on in this moment.
                    continue
                }
                let isRefused = item.status == .rejected || item.status == .conflict
                if known.isSame(as: arriving), !isRefused || known.isBased(as: arriving) {
                    // It may have got here and failed at the sync: what is said now holds after a crash.
                    try fileSystem.makeDurable(folder: OutboxLayout.folder(item.status))
                    return .known(item.status)
                }
                guard isRefused else { return .different(item.status) }
                try putAside(item, reason: "another request came under this id after this one was refused")
            }
            let change = try make(clock.now, try nextSequence(deviceID: deviceID))
            let item = OutboxItem(id: id, kind: change.kind, status: .done)
            try put(try change.file(), to: item.path, replacing: false)
            return .taken
        }
    }

    /// Takes an attachment, with its bytes where they are not here. When this returns, both survive a crash.
    ///
    /// - Parameters:
    ///   - media: as its test or its questionnaire, which is here, names it.
    ///   - source: a synced file within the store that has its bytes, and is moved away; `nil` when there is none.
    /// - Returns: `nil` when the bytes are not here: then nothing is taken.
    package func accept(_ media: MediaChange, bytesAt source: FilePath? = nil) throws -> Acceptance? {
        try makeFolders()
        return try editing {
            while let item = try find(media.id) {
                do {
                    guard case .media(let known) = try readChange(item).change, known.digest == media.digest,
                        known.owner == media.owner
                    else { return .different(item.status) }
                } catch OutboxError.notFound {
                    // The sweeper moved it on in this moment.
                    continue
                }
                if !item.status.isDelivered {
                    if let source { try place(source, media.digest, sizeBytes: media.sizeBytes) }
                    // Somebody took them away.
                    guard try hasBytes(media.digest) || isDelivered(media.digest) else { return nil }
                }
                // It may have got here and failed at the sync: what is said now holds after a crash.
                try fileSystem.makeDurable(folder: OutboxLayout.folder(item.status))
                return .known(item.status)
            }
            // The bytes first: what an item names is there.
            if let source {
                try place(source, media.digest, sizeBytes: media.sizeBytes)
            } else if try hasBytes(media.digest) {
                try fileSystem.makeDurable(folder: OutboxLayout.media)
            } else {
                return nil
            }
            let item = OutboxItem(id: media.id, kind: .media, status: .done)
            try put(try DocumentCoding.encode(media), to: item.path, replacing: false)
            return .taken
        }
    }
}

extension OutgoingChange {
    /// Whether both do the same, with the same content, to the same thing.
    fileprivate func isSame(as other: OutgoingChange) -> Bool {
        action == other.action && questionnaire == other.questionnaire && contentDigest == other.contentDigest
    }

    /// Whether both go on from the same version, by the same rule.
    fileprivate func isBased(as other: OutgoingChange) -> Bool {
        guard case .questionnaire(let mine) = self, case .questionnaire(let theirs) = other else { return true }
        return mine.base?.etag == theirs.base?.etag && mine.policy == theirs.policy
    }
}
