import Disk
import Model
import SystemPackage

/// Changes of questionnaires and favourites that a person makes on this device, with the files that they name.
package struct LocalChanges: Sendable {
    let outbox: Outbox

    var fileSystem: any FileSystem { outbox.fileSystem }
    var quarantine: Quarantine { outbox.quarantine }

    /// Makes a change with its new identity, the moment, and its number.
    package typealias ChangeMaking = (TestID, Timestamp, Int) throws -> OutgoingChange

    /// Makes a change and its file in `done`. When this returns, it survives a crash.
    ///
    /// - Parameters:
    ///   - files: of a questionnaire that names them; after an error the caller gives them up.
    ///   - make: makes the change from its new identity, the moment, and its number.
    @discardableResult
    package func add(
        deviceID: String, files: [SpooledMedia] = [], _ make: ChangeMaking
    ) throws -> StoredChange {
        try outbox.adding { try addNow(deviceID: deviceID, files: files, make) }
    }

    /// Attaches a file to a questionnaire. When this returns, the file, the change that names it, and the attachment
    /// that waits for that change survive a crash.
    ///
    /// - Parameter edit: called under the lock: makes the change that names the file; `nil` if the questionnaire names
    ///   it already.
    package func attach(
        _ spooled: SpooledMedia, _ medium: QuestionnaireMedium, deviceID: String, _ edit: () throws -> ChangeMaking?
    ) throws -> (change: StoredChange?, medium: StoredChange) {
        try outbox.media.consuming(spooled) {
            try outbox.editing {
                let making = try edit()
                // The bytes first: a change never names missing bytes.
                try outbox.media.place(spooled)
                let change = try making.map { try outbox.addNow(deviceID: deviceID, $0) }
                return (change, try outbox.attachments.add(medium, sizeBytes: spooled.sizeBytes, deviceID: deviceID))
            }
        }
    }

    /// Makes a change of a questionnaire, and the attachments of new files that it names. When this returns, all of them
    /// survive a crash.
    ///
    /// - Parameter files: after an error the caller gives them up.
    func addNow(
        deviceID: String, files: [SpooledMedia], _ make: ChangeMaking
    ) throws -> StoredChange {
        // The bytes first: a change never names missing bytes.
        for file in files { try outbox.media.place(file) }
        let stored = try outbox.addNow(deviceID: deviceID, make)
        guard !files.isEmpty, case .questionnaire(let change) = stored.change else { return stored }
        for path in try outbox.attachments.contentPaths(stored.item).sorted(by: { $0.description < $1.description }) {
            guard let file = files.first(where: { $0.digest == path.digest }) else { continue }
            _ = try outbox.attachments.add(change.medium(at: path), sizeBytes: file.sizeBytes, deviceID: deviceID)
        }
        for file in files { fileSystem.closeQuietly(file.temporary.file) }
        return stored
    }

    /// Removes a file from a questionnaire, and withdraws its waiting attachment if no other questionnaire names it.
    ///
    /// - Parameter edit: called under the lock: makes the change that does not name it.
    package func detach(
        _ path: ContentPath?, deviceID: String, _ edit: () throws -> ChangeMaking
    ) throws -> StoredChange {
        try outbox.editing {
            let change = try outbox.addNow(deviceID: deviceID, try edit())
            if let path {
                try outbox.attachments.withdraw(named: [path], reason: "it was taken away from its questionnaire")
            }
            return change
        }
    }

    /// Withdraws changes that no server can have seen, moving them to quarantine.
    ///
    /// - Returns: whether all of them were withdrawn. If a server may have one of them, none is.
    package func takeBack(_ ids: [TestID], reason: String) throws -> Bool {
        try outbox.editing {
            func mine(_ id: TestID) throws -> OutboxItem? {
                guard let item = try outbox.find(id), item.status == .done,
                    try outbox.receipt(item)?.delivery?.mayHaveArrived != true
                else { return nil }
                return item
            }
            // The first may have arrived although the last has not: checking all before any move leaves no partial
            // result.
            guard try ids.allSatisfy({ try mine($0) != nil }) else { return false }
            var named: Set<ContentPath> = []
            // The last one first: an interruption leaves a consistent rest.
            for id in ids.reversed() {
                guard let item = try mine(id) else { return false }
                named.formUnion(try outbox.attachments.contentPaths(item))
                guard let place = try quarantine.take(item.path, reason: reason) else { return false }
                // A sweeper may have tried it, and returned it, since the check above: then a server may have it.
                if try outbox.receipt(item)?.delivery?.mayHaveArrived == true {
                    try fileSystem.move(place, to: item.path, replacing: false)
                    try fileSystem.makeDurable(folder: OutboxLayout.folder(.done))
                    try quarantine.makeDurable()
                    return false
                }
                try quarantine.take(OutboxLayout.receiptPath(id, item.status), reason: reason)
            }
            try outbox.attachments.withdraw(named: named, reason: reason)
            return true
        }
    }
}

extension Outbox {
    /// Changes of questionnaires and favourites that are made here.
    package var localChanges: LocalChanges { LocalChanges(outbox: self) }
}
