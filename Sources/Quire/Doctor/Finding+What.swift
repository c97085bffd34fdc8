import CacheStore
import Disk
import Model
import OutboxStore
import SystemPackage

extension Finding {
    /// A fault. The advice follows from it.
    package enum What: Sendable, Hashable {
        case notExamined(reason: String)
        case inaccessible(FileError)

        // Files that do not belong where they lie
        case stranger(Part)
        case misnamed(Item)
        case notTemporary
        case conflictCopy(isInStoreFolder: Bool)
        case notAFile(FileKind)
        case neverFollowed(FileKind)
        case unexpectedKind(FileKind, expected: FileKind)
        case noQuarantine(FileKind)
        case missingFolder

        // Content
        case unreadable(Content, reason: String)
        case unreadablePIN
        case unreadableDraft(reason: String, left: DraftStates)
        case damagedDraftMedium
        case misnamedMark(id: String)
        /// Why a misnamed mark is moved to quarantine: another file has its name.
        case secondMark(id: String)
        case cache(CacheFault.Kind)
        case overQuota(usedBytes: Int64, quotaBytes: Int64)
        case unreadableSequence(reason: String)
        case reasonWithoutFile

        // Tests, changes and their receipts
        case lostMedium(name: String, file: FilePath)
        case lostAttachment(Attachment, TestID)
        case lostVersion(questionnaire: String, TestID)
        case changedMedium
        case changedAfterSending(TestID)
        case missingReceipt(OutboxKind)
        case receiptFault(OutboxError)
        case notAcknowledged(acknowledged: Digest)
        case duplicate([TestStatus])
        case receiptWithoutTest

        // The machine and the location
        case volume(Volume)
        case syncedFolder(program: String)
        case littleSpace(freeBytes: Int64)
        case fewFiles(free: Int64)
        case noReserve
        case unreliableLocks
        case clock(Timestamp)
        case clockSkew(seconds: Double)

        // Settings and the token
        case unknownSetting(String)
        case remote(fault: String)
        case oddSetting(Setting)
        /// - Parameter host: with its port, as the settings name it.
        case unencryptedToken(host: String)
        case missingTokenFile(String)
        case openTokenFile(String)

        // Owners, permissions, names and times
        case storeOwner(UInt32, user: UInt32)
        case owner(UInt32, storeOwner: UInt32, store: FilePath)
        case openStore
        case mode(FilePermissions, expected: FilePermissions, isHook: Bool)
        case modes(count: Int, areHooks: Bool)
        case hardLink(names: UInt64, isLock: Bool)
        case leftover
        case futureTime(Timestamp)
    }
}

extension Finding.What {
    /// A folder with a closed list of names.
    package enum Part: Sendable, Hashable { case store, outbox, log }

    /// The items whose ids are the names of the files in a folder.
    package enum Item: Sendable, Hashable { case test, attachment, mark, person, authorDraft }

    /// The expected content of a file.
    package enum Content: Sendable, Hashable {
        case item(OutboxKind)
        case receipt, mark, person, log
    }

    /// The states of an author's draft that are left beside a damaged one: the last one counts.
    package enum DraftStates: Sendable, Hashable { case later, earlier, none }

    /// A setting whose value makes no sense.
    package enum Setting: Sendable, Hashable {
        case quotaBytes(Int64, keepsNothing: Bool)
        case ttlSeconds, deviceId, cacheControl, tokenFile
    }

    var kind: Finding.Kind {
        switch self {
        case .notExamined: .unknown
        case .stranger, .misnamed, .notTemporary, .notAFile(.folder), .cache(.stranger), .misnamedMark, .secondMark:
            .stranger
        case .conflictCopy: .conflictCopy
        case .notAFile, .neverFollowed, .unexpectedKind, .noQuarantine: .notAFile
        case .missingFolder: .missing
        case .unreadable, .unreadablePIN, .unreadableDraft, .cache(.damagedEntry): .unreadable
        case .damagedDraftMedium, .cache(.damagedContent): .damaged
        case .cache(.missingContent), .cache(.orphan), .reasonWithoutFile, .receiptWithoutTest, .lostMedium,
            .lostAttachment, .lostVersion:
            .orphan
        case .cache(.ledger), .cache(.index), .cache(.tag), .unreadableSequence: .derived
        case .overQuota: .quota
        case .changedMedium, .changedAfterSending: .changed
        case .missingReceipt, .receiptFault, .notAcknowledged: .receipt
        case .duplicate: .duplicate
        case .volume, .syncedFolder: .place
        case .littleSpace, .fewFiles, .noReserve: .space
        case .unreliableLocks: .locks
        case .clock, .clockSkew, .futureTime: .clock
        case .unknownSetting, .remote, .oddSetting: .settings
        case .unencryptedToken, .missingTokenFile, .openTokenFile: .token
        case .storeOwner, .owner: .owner
        case .inaccessible, .openStore, .mode, .modes: .permissions
        case .hardLink: .hardLink
        case .leftover: .leftover
        }
    }
}
