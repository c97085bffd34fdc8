import CacheStore
import Disk
import Model
import OutboxStore
import Quire
import QuireWording
import SystemPackage
import Testing

@Suite("The words of findings")
struct FindingWordsTests {
    private static func faults() throws -> [Finding.What] {
        let id = try #require(TestID("11111111-1111-4111-8111-111111111111"))
        let time = Timestamp(secondsSinceEpoch: 1_795_000_000)
        let photo = Attachment(
            id: id, questionId: "q1", name: "map.png", mediaType: "image/png", sizeBytes: 1,
            digest: Digest(sha256Of: []))
        let volumes = [Volume.Kind.memory, .network, .program, .withoutPermissions].flatMap { kind in
            [true, false].map {
                Finding.What.volume(
                    Volume(typeName: "t", kind: kind, place: "/", user: 0, freeBytes: 1, keepsLocksToItself: $0))
            }
        }
        let others: [Finding.What] = [
            .notExamined(reason: "r"), .inaccessible(FileError("read", "f", .permissionDenied)),
            .stranger(.store), .stranger(.outbox), .stranger(.log),
            .misnamed(.test), .misnamed(.attachment), .misnamed(.mark), .misnamed(.person), .misnamed(.authorDraft),
            .notTemporary, .conflictCopy(isInStoreFolder: true), .conflictCopy(isInStoreFolder: false),
            .notAFile(.folder), .notAFile(.symbolicLink), .neverFollowed(.other),
            .unexpectedKind(.folder, expected: .regular), .unexpectedKind(.regular, expected: .folder),
            .noQuarantine(.regular), .missingFolder,
            .unreadable(.item(.test), reason: "r"), .unreadable(.item(.questionnaire), reason: "r"),
            .unreadable(.receipt, reason: "r"), .unreadable(.mark, reason: "r"), .unreadable(.person, reason: "r"),
            .unreadable(.log, reason: "r"), .unreadablePIN, .unreadableDraft(reason: "r", left: .later),
            .unreadableDraft(reason: "r", left: .earlier), .unreadableDraft(reason: "r", left: .none),
            .damagedDraftMedium, .misnamedMark(id: "q"), .cache(.stranger), .cache(.damagedEntry(reason: "r")),
            .cache(.damagedContent(url: "u", reason: "r")), .cache(.missingContent(url: "u")), .cache(.orphan),
            .cache(.ledger(reason: "r")), .cache(.index(reason: "r")), .cache(.tag),
            .overQuota(usedBytes: 2, quotaBytes: 1), .unreadableSequence(reason: "r"), .reasonWithoutFile,
            .lostMedium(name: "n", file: "f"), .lostAttachment(photo, id), .lostVersion(questionnaire: "q", id),
            .changedMedium, .changedAfterSending(id), .missingReceipt(.test), .missingReceipt(.media),
            .notAcknowledged(acknowledged: photo.digest), .duplicate([.done, .sent]), .receiptWithoutTest,
            .syncedFolder(program: "p"), .littleSpace(freeBytes: 1), .fewFiles(free: 1), .noReserve,
            .unreliableLocks, .clock(time), .clockSkew(seconds: 90), .unknownSetting("s"),
            .oddSetting(.quotaBytes(1, keepsNothing: true)), .oddSetting(.quotaBytes(1, keepsNothing: false)),
            .oddSetting(.ttlSeconds), .oddSetting(.deviceId), .oddSetting(.cacheControl), .oddSetting(.tokenFile),
            .unencryptedToken(host: "h"), .missingTokenFile("f"), .openTokenFile("f"), .storeOwner(1, user: 2),
            .owner(1, storeOwner: 2, store: "/s"), .openStore,
            .mode(FilePermissions(rawValue: 0o644), expected: FilePermissions(rawValue: 0o600), isHook: false),
            .mode(FilePermissions(rawValue: 0o644), expected: FilePermissions(rawValue: 0o700), isHook: true),
            .modes(count: 2, areHooks: false), .modes(count: 2, areHooks: true), .hardLink(names: 2, isLock: true),
            .hardLink(names: 2, isLock: false), .leftover, .futureTime(time),
        ]
        return volumes + others
    }

    @Test("each fault and its advice are words of each language, and each fault has its own")
    func words() throws {
        let faults = try Self.faults()
        for language in Language.allCases {
            for fault in faults {
                for (text, english) in [
                    (fault.words(language), fault.words(.english)), (fault.advice(language), fault.advice(.english)),
                ] {
                    #expect(!text.isEmpty && !text.contains("{"), "\(language): \(fault)")
                    #expect(language == .english || text != english, "\(language): \(text)")
                }
            }
        }
        let same = Dictionary(grouping: faults.map { "\($0.words(.english)); \($0.advice(.english))" }) { $0 }
            .filter { $0.value.count > 1 }.keys
        // Locks matter on a network alone.
        #expect(same.allSatisfy { $0.hasPrefix("the store lies") || $0.hasPrefix("the volume") }, "\(same)")
    }

    @Test("what another part says in English is passed on as it is")
    func passedOn() throws {
        let error = OutboxError.unreadable(path: "f", reason: "no JSON")
        #expect(Finding.What.receiptFault(error).words(.russian) == error.description)
        #expect(Finding.What.remote(fault: "r").words(.russian) == "remote: r")
        #expect(Finding.What.secondMark(id: "q").words(.russian) == "another mark of “q”")
    }
}
