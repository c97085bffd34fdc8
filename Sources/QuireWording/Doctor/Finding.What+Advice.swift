import CacheStore
import Localization
import Model
import OutboxStore
import Quire

extension Finding.What {
    /// The advice for a fault.
    package func advice(_ language: Language) -> String {
        func say(_ text: LocalizedText) -> String { language.text(text) }
        let quarantine = say("run “quire doctor --repair” to move it to quarantine")
        let repair = say("run “quire doctor --repair” to repair it")
        return switch self {
        case .notExamined: say("see that you may read it, then run “quire doctor” again")
        case .inaccessible:
            say(
                "it is not sent as long as it cannot be read; where its mode is the reason, “quire doctor --repair” gives it back"
            )
        case .stranger(.store), .conflictCopy(isInStoreFolder: true): say("move it elsewhere")
        case .noQuarantine: say("move it elsewhere yourself: nothing can be put into quarantine until then")
        case .missingFolder: say("run “quire doctor --repair” to make it")
        case .unreadable(.item, _), .unreadable(.receipt, _): say("repair it with an editor, or ") + quarantine
        case .unreadable(.log, _):
            say("nothing depends on it; “quire doctor --repair” moves it to quarantine and begins a new one")
        case .unreadableDraft(_, .later):
            quarantine + say("; the draft was saved again after it, and Undo no longer returns to this state")
        case .unreadableDraft(_, .earlier):
            say("restore the file from a backup, or ") + quarantine + say("; then the draft is as it was saved before")
        case .unreadableDraft(_, .none):
            say("restore the file from a backup, or ") + quarantine
                + say("; the draft has no other state and is then gone from the list")
        case .damagedDraftMedium: quarantine + say(", then add the file to the draft again")
        case .cache(.damagedContent): quarantine + say(", then “quire pull” to fetch it again")
        case .cache(.missingContent): say("run “quire pull” to fetch it again")
        case .cache(.orphan): say("the next pull, or “quire doctor --repair”, removes it")
        case .misnamedMark, .cache(.ledger), .cache(.index), .cache(.tag), .unreadableSequence: repair
        case .stranger, .misnamed, .notTemporary, .conflictCopy, .notAFile, .neverFollowed, .unexpectedKind,
            .unreadable, .unreadablePIN, .secondMark, .cache(.stranger), .cache(.damagedEntry):
            quarantine
        case .overQuota: say("run “quire cache trim”")
        case .leftover, .reasonWithoutFile: say("run “quire doctor --repair” to remove it")
        case .lostMedium(_, let file):
            say("put the file back as \(file.string); until then what it belongs to goes without it")
        case .lostAttachment(let file, let test): Self.attachAgain(file, test, language)
        case .lostVersion(_, let test):
            say(
                "“quire pull” fetches it if the server still has it; “quire finish \(test)” sends the answers as they are"
            )
        case .changedMedium: say("restore it from a backup; the server would not take it as it is")
        case .changedAfterSending(let test): say("“quire outbox reopen \(test)” makes a new revision of it")
        case .missingReceipt(.test), .receiptFault:
            say("the next sync asks the server for it, and sends the test again where the server has not got it")
        case .missingReceipt: say("the next sync asks the server for it")
        case .notAcknowledged(let digest):
            say("restore the file from a backup; the server has the version \(digest)")
        case .duplicate: say("the next sync, or “quire doctor --repair”, settles it by the most advanced status")
        case .receiptWithoutTest: say("put the test back beside it, or ") + quarantine
        case .volume(let volume) where volume.kind == .network && volume.keepsLocksToItself:
            say("use it from one machine only, or move the store to a disk of this machine")
        case .volume, .unreliableLocks: say("move the store to a disk of this machine")
        case .syncedFolder:
            say("move the store to a folder that is not synced; to use a second machine, copy the outbox there")
        case .littleSpace: say("free some space; until then answers are saved in the space that the cache gives up")
        case .fewFiles: say("remove files that you do not need")
        case .noReserve: say("run “quire doctor --repair” to set it aside")
        case .clock, .clockSkew:
            say("set the clock (“timedatectl set-ntp true” lets the machine do it); tests are sent all the same")
        case .unknownSetting: say("correct its spelling, or remove it; the settings are named in docs/format.md")
        case .remote: say("set another one: “quire remote set URL”")
        case .oddSetting: say("correct it in store.json")
        case .unencryptedToken: say("use https: “quire remote set https://…”")
        case .missingTokenFile: say("put it back, or name another with “quire remote set URL --token-file FILE”")
        case .openTokenFile(let file): say("close it with “chmod 600 \(file)”, and ask for a new token")
        case .storeOwner: say("run quire as the store's owner")
        case .owner(_, let storeOwner, let store):
            say("give it to the store's owner: “sudo chown -R \(storeOwner) \(store.string)”")
        case .openStore: say("run “quire doctor --repair” to close it to others (mode 0700)")
        case .mode(_, _, true), .modes(_, true):
            say("run “quire doctor --repair” to close it to others; what can be run stays so (mode 0700)")
        case .mode, .modes: say("run “quire doctor --repair” to give files the mode 0600 and folders 0700")
        case .hardLink(_, true): say("remove the other name")
        case .hardLink: say("run “quire doctor --repair” to make it a file of its own")
        case .futureTime: say("if this machine's clock is right, “quire doctor --repair” sets the time to now")
        }
    }

    private static func attachAgain(_ file: Attachment, _ test: TestID, _ language: Language) -> String {
        let command = "quire attach \(test) \(QuestionInstance.typed(file.questionId))"
        return language.text(
            "attach it again with “\(command) FILE”, or take it away with “\(command) \(file.mark) --remove”")
    }
}
