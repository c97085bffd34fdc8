import Disk
import Model
import SystemPackage

/// A change of folder.
package struct OutboxMove: Hashable, Sendable {
    package var id: TestID
    package var kind: OutboxKind
    package var from: TestStatus
    package var to: TestStatus

    package init(_ item: OutboxItem, to: TestStatus) {
        id = item.id
        kind = item.kind
        from = item.status
        self.to = to
    }
}

/// A change of folder with the receipt that explains it.
package struct OutboxSettlement: Sendable {
    package var move: OutboxMove
    /// Stored beside the test in its new folder, durably, before the test itself is moved there.
    package var receipt: Receipt?
    /// In `done`: the earliest time to send it.
    package var notBefore: Timestamp?

    package init(move: OutboxMove, receipt: Receipt?, notBefore: Timestamp? = nil) {
        self.move = move
        self.receipt = receipt
        self.notBefore = notBefore
    }
}

/// Moves of files from folder to folder, with the receipts that explain them.
struct OutboxMoves {
    let outbox: Outbox

    var fileSystem: any FileSystem { outbox.fileSystem }
    var quarantine: Quarantine { outbox.quarantine }

    func settle(_ settlements: [OutboxSettlement], isCorrection: Bool = false) throws {
        try outbox.stage(settlements) { settlement in
            try settlement.receipt.map {
                StagedFile(
                    try DocumentCoding.encode($0),
                    to: OutboxLayout.receiptPath(settlement.move.id, settlement.move.to))
            }
        }
        for folder in Set(settlements.filter { $0.receipt != nil }.map(\.move.to)) {
            try fileSystem.makeDurable(folder: OutboxLayout.folder(folder))
        }
        for settlement in settlements {
            guard let notBefore = settlement.notBefore else { continue }
            do throws(FileError) {
                let path = OutboxLayout.path(settlement.move.id, settlement.move.kind, settlement.move.from)
                let nanoseconds = notBefore.nanosecondsSinceEpoch
                try fileSystem.continuing { () throws(FileError) in
                    try fileSystem.setModified(path, nanoseconds: nanoseconds)
                }
            } catch {
                if !error.isMissing { throw error }
            }
        }
        try move(settlements.map(\.move).filter { $0.from != $0.to }, isCorrection: isCorrection)
        for settlement in settlements {
            // Outdated now; one left by a crash is removed by the next recovery.
            let former: [TestStatus] = settlement.move.from == .sending ? [.sending, .done] : [settlement.move.from]
            for status in former where status != settlement.move.to {
                let path = OutboxLayout.receiptPath(settlement.move.id, status)
                // Usually there is none: a failing lookup is quicker.
                if try fileSystem.status(at: path) != nil { try fileSystem.removeIfPresent(path) }
            }
        }
    }

    /// Moves tests: one rename each, then one sync of each target folder, then of each source.
    ///
    /// A test that is no longer in its folder is skipped. If the target folder has a test of that id already, equal
    /// bytes become one file; different ones are both kept.
    ///
    /// - Parameter isCorrection: allows moves outside a test's normal life.
    /// - Returns: the completed moves.
    @discardableResult
    func move(_ moves: [OutboxMove], isCorrection: Bool = false) throws -> [OutboxMove] {
        var made: [OutboxMove] = []
        for move in moves {
            guard isCorrection || move.from.legalMoves.contains(move.to) else {
                throw OutboxError.illegalMove(move.id, from: move.from, to: move.to)
            }
            let source = OutboxLayout.path(move.id, move.kind, move.from)
            let target = OutboxLayout.path(move.id, move.kind, move.to)
            do {
                // A folder may need another block for one more name.
                try outbox.makingRoom { _ throws(FileError) in
                    try fileSystem.move(source, to: target, replacing: false)
                }
                made.append(move)
            } catch let error as FileError {
                if error.isMissing { continue }
                guard error.code == .fileExists else { throw error }
                if try settleDuplicate(move.id, move.kind, kept: move.to, other: move.from) { made.append(move) }
            }
        }
        // The target first: a test in neither folder after a crash would be lost, one in both is settled.
        for folder in Set(made.map(\.to)) { try fileSystem.makeDurable(folder: OutboxLayout.folder(folder)) }
        for folder in Set(made.map(\.from)) { try fileSystem.makeDurable(folder: OutboxLayout.folder(folder)) }
        return made
    }

    // MARK: Duplicates

    /// A test found in several folders: the most advanced status is correct.
    func settleDuplicates(_ scan: OutboxScan) throws {
        for (id, statuses) in scan.duplicates {
            // A test in `conflict` is another version that waits for a decision: it replaces no other.
            let known = statuses.filter { $0 != .conflict }
            guard let kept = known.first else { continue }
            let kind = scan.kind(of: id)
            for other in known.dropFirst() { try settleDuplicate(id, kind, kept: kept, other: other) }
            guard statuses.contains(.conflict) else { continue }
            let isFurther = kept.advancement > TestStatus.conflict.advancement
            try settleDuplicate(id, kind, kept: isFurther ? kept : .conflict, other: isFurther ? .conflict : kept)
        }
    }

    /// Equal bytes become one file. Different ones are both kept: the less advanced goes to `conflict` or, if one is
    /// there already, to quarantine.
    ///
    /// - Returns: whether `other` is resolved now.
    @discardableResult
    func settleDuplicate(
        _ id: TestID, _ kind: OutboxKind, kept: TestStatus, other: TestStatus
    ) throws -> Bool {
        let keptPath = OutboxLayout.path(id, kind, kept)
        let otherPath = OutboxLayout.path(id, kind, other)
        guard let keptBytes = try outbox.bytesIfPresent(keptPath, kind),
            let otherBytes = try outbox.bytesIfPresent(otherPath, kind)
        else {
            return false
        }
        if keptBytes == otherBytes {
            // The remaining file, which `cp` may just have written, is made durable before the other is removed.
            try fileSystem.makeDurable(file: keptPath)
            try fileSystem.makeDurable(folder: OutboxLayout.folder(kept))
            try fileSystem.removeIfPresent(otherPath)
            try fileSystem.makeDurable(folder: OutboxLayout.folder(other))
            return true
        }
        if kept == .conflict || other == .conflict { return false }
        let conflictPath = OutboxLayout.path(id, kind, .conflict)
        if try fileSystem.status(at: conflictPath) == nil {
            let receipt = outbox.conflictReceipt(
                id, otherBytes, reason: "another version of this test lay in \(kept.rawValue)")
            try outbox.put(
                try DocumentCoding.encode(receipt), to: OutboxLayout.receiptPath(id, .conflict), replacing: true)
            try fileSystem.move(otherPath, to: conflictPath, replacing: false)
            try fileSystem.makeDurable(folder: OutboxLayout.folder(.conflict))
            try fileSystem.makeDurable(folder: OutboxLayout.folder(other))
        } else {
            try quarantine.take(otherPath, reason: "another version of this test lay in \(kept.rawValue)")
        }
        return true
    }

    /// Moves a file to quarantine, with its receipt and the other files beside it.
    ///
    /// - Returns: its new path; `nil` if it is gone from its folder.
    @discardableResult
    func putAside(_ item: OutboxItem, reason: String) throws -> FilePath? {
        guard let place = try quarantine.take(item.path, reason: reason) else { return nil }
        try quarantine.take(OutboxLayout.receiptPath(item.id, item.status), reason: reason)
        if item.status == .conflict { try quarantine.take(OutboxLayout.theirsPath(item.id), reason: reason) }
        return place
    }
}

extension Outbox {
    /// Moves from folder to folder.
    var moves: OutboxMoves { OutboxMoves(outbox: self) }
}
