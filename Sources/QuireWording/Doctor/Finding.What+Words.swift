import CacheStore
import Disk
import Localization
import Model
import Quire
import SystemPackage

extension Finding.What {
    package func words(_ language: Language) -> String {
        func say(_ text: LocalizedText) -> String { language.text(text) }
        func size(_ bytes: Int64) -> String { ByteCount.format(bytes, language) }
        return switch self {
        case .notExamined(let reason): say("it cannot be looked at: \(reason)")
        case .inaccessible(let error): say("it cannot be read: \(error)")
        case .stranger(.store): say("it does not belong in the store")
        case .stranger(.outbox): say("it does not belong in the outbox")
        case .stranger(.log): say("it does not belong in the log")
        case .misnamed(let item): item.words(language)
        case .notTemporary: say("it is not a file of Quire's")
        case .conflictCopy:
            say("a program that syncs folders made this copy, since the file was changed on two machines")
        case .notAFile(let kind): say("it is \(kind.words(language)), not a file")
        case .neverFollowed(let kind): say("it is \(kind.words(language)), which a store never follows")
        case .unexpectedKind(let kind, .regular): say("it is \(kind.words(language)), and a file belongs here")
        case .unexpectedKind(let kind, _), .noQuarantine(let kind):
            say("it is \(kind.words(language)), and a folder belongs here")
        case .missingFolder: say("the folder is missing")
        case .unreadable(let content, let reason): content.words(reason, language)
        case .unreadablePIN: say("it holds no PIN of a person")
        case .unreadableDraft(let reason, _): say("a draft of a questionnaire cannot be read: \(reason)")
        case .damagedDraftMedium: say("a picture or sound of a draft is not what its name says")
        case .misnamedMark(let id):
            say("it marks “\(id)”, and its name says something else, so the mark cannot be taken away")
        // Written into quarantine alone, in English.
        case .secondMark(let id): "another mark of “\(id)”"
        case .cache(let fault): fault.words(language)
        case .overQuota(let used, let quota):
            say("the cache takes \(size(used)), its quota is \(size(quota))")
        case .unreadableSequence(let reason): say("the last number given out cannot be read: \(reason)")
        case .reasonWithoutFile: say("a reason without the file that it is about")
        case .lostMedium(let name, _): say("the bytes of “\(name)” are not here")
        case .lostAttachment(let file, _):
            say("the bytes of “\(file.name)” (question \(QuestionInstance.written(file.questionId))) are not here")
        case .lostVersion(let id, _):
            say("the version of “\(id)” that it was started with is not on this device")
        case .changedMedium: say("its bytes are not those of its name")
        case .changedAfterSending:
            say("it was changed after it was first sent, so the server may hold other answers")
        case .missingReceipt: say("it counts as delivered and has no receipt")
        case .receiptFault(let error): error.description
        case .notAcknowledged: say("its bytes are not those that the server acknowledged")
        case .duplicate(let statuses):
            say("the test lies in \(statuses.map(\.rawValue).joined(separator: say(" and ")))")
        case .receiptWithoutTest: say("a receipt without its test")
        case .volume(let volume): volume.words(language)
        case .syncedFolder(let program):
            say(
                "the store lies in a folder that \(program) copies to other machines: two of them at once would undo each other's work"
            )
        case .littleSpace(let free): say("the disk is all but full: \(size(free)) are free")
        case .fewFiles(let free): say("the disk has room for \(free) more files only (its inodes are used up)")
        case .noReserve: say("no space is set aside for answers on a full disk")
        case .unreliableLocks:
            say(
                "the file system gives the lock to everybody who asks: two programs could write at once, and nothing is sent from here"
            )
        case .clock(let time): say("this machine's clock says \(time.inWords)")
        case .clockSkew(let seconds):
            say(
                "this machine's clock differs from the server's by \(TimeSpan.format(seconds: abs(seconds), language))")
        case .unknownSetting(let name): say("“\(name)” is no setting that this program knows, so it has no effect")
        case .remote(let fault): "remote: \(fault)"
        case .oddSetting(let setting): setting.words(language)
        case .unencryptedToken(let host):
            say("the token is sent to \(host) without encryption: anyone on the network path can read it")
        case .missingTokenFile(let file): say("the token's file \(file) is not there")
        case .openTokenFile(let file): say("others can read the token in \(file)")
        case .storeOwner(let owner, let user):
            say(
                "the store belongs to user \(owner), and this program runs as \(user): what it writes would be another user's"
            )
        case .owner(let owner, _, _):
            say("it belongs to another user (\(owner)), so it cannot be changed or moved")
        case .openStore: say("others on this machine may look into the store")
        case .mode(let mode, let expected, _): say("its mode is \(mode.octal) instead of \(expected.octal)")
        case .modes(let count, _): say("\(count) files or folders in it have other permissions than they should")
        case .hardLink(let names, _):
            say("it has \(names) names on this disk: who writes under another one changes it here")
        case .leftover: say("half of a file, left by a program that did not come to its end")
        case .futureTime(let time): say("its time, \(time.inWords), is yet to come: a clock was wrong")
        }
    }
}

extension Finding.What.Item {
    fileprivate func words(_ language: Language) -> String {
        switch self {
        case .test: language.text("its name is not that of a test (UUID.test.json)")
        case .attachment: language.text("its name is not the SHA-256 of an attachment")
        case .mark: language.text("its name is not that of a mark")
        case .person: language.text("its name is not that of a person")
        case .authorDraft: language.text("its name is not that of a draft of a questionnaire")
        }
    }
}

extension Finding.What.Content {
    fileprivate func words(_ reason: String, _ language: Language) -> String {
        switch self {
        case .item(.test): language.text("it is not a test: \(reason)")
        case .item(let kind): language.text("it is not a \(kind.rawValue) on its way: \(reason)")
        case .receipt: language.text("it is not a receipt: \(reason)")
        case .mark: language.text("it is not a mark: \(reason)")
        case .person: language.text("it names no person: \(reason)")
        case .log: language.text("it cannot be read: \(reason)")
        }
    }
}

extension Finding.What.Setting {
    fileprivate func words(_ language: Language) -> String {
        switch self {
        case .quotaBytes(let bytes, let keepsNothing):
            "quotaBytes: "
                + (keepsNothing
                    ? language.text("a cache of \(ByteCount.format(bytes, language)) can keep nothing")
                    : language.text(
                        "a cache of \(ByteCount.format(bytes, language)) can keep a few short questionnaires at most"))
        case .ttlSeconds: "ttlSeconds: " + language.text("what was pulled would be removed at once")
        case .deviceId: "deviceId: " + language.text("the device has no name in its tests")
        case .cacheControl: "cacheControl: " + language.text("a rule has no pattern or no value")
        case .tokenFile: "tokenFile: " + language.text("it names no file")
        }
    }
}

extension CacheFault.Kind {
    fileprivate func words(_ language: Language) -> String {
        switch self {
        case .stranger: language.text("it does not belong in the cache")
        case .damagedEntry(let reason): language.text("it is not a cache entry: \(reason)")
        case .damagedContent(let url, let reason): language.text("the content of \(url) is damaged: \(reason)")
        case .missingContent(let url): language.text("the content of \(url) is missing")
        case .orphan: language.text("content that nothing refers to")
        case .ledger(let reason): language.text("what the cache takes is not booked right: \(reason)")
        case .index(let reason): language.text("the index is wrong: \(reason)")
        case .tag: language.text("without it backup programs do not know that this is a cache")
        }
    }
}

extension FileKind {
    fileprivate func words(_ language: Language) -> String {
        switch self {
        case .regular: language.text("a file")
        case .folder: language.text("a folder")
        case .symbolicLink: language.text("a symbolic link")
        case .other: language.text("a pipe, socket or device")
        }
    }
}

extension Volume {
    /// Why a store should not lie there.
    fileprivate func words(_ language: Language) -> String {
        switch kind {
        case .memory:
            language.text("the store lies in memory (\(typeName)): all answers are gone when the machine stops")
        case .network where keepsLocksToItself:
            language.text(
                "the store lies on another machine (\(typeName)): that an answer is saved is only as true as what that machine says, and locks are not seen by others who have the volume mounted"
            )
        case .network:
            language.text(
                "the store lies on another machine (\(typeName)): that an answer is saved is only as true as what that machine says"
            )
        case .program:
            language.text(
                "the store lies on a volume of a program (\(typeName)), which may lose what it was given")
        case .withoutPermissions:
            language.text(
                "the volume (\(typeName)) supports no permissions: anyone with access to it can read the store")
        case .local, .overlay: ""
        }
    }
}

extension FilePermissions {
    /// As people type them: `0600`.
    fileprivate var octal: String { "0" + String(rawValue, radix: 8) }
}
