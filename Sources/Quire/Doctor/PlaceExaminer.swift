import Disk
import Model
import OutboxStore
import SystemPackage
import Wording

/// Examines the location of the store, its locks, its free space, and the clock.
struct PlaceExaminer: Examiner {
    let examination: Examination

    func examine() {
        check(FilePath()) {
            let volume = try fileSystem.volume()
            checkVolume(volume)
            if let program = volume.syncingProgram {
                report(
                    .place, FilePath(),
                    say(
                        "the store lies in a folder that \(program) copies to other machines: two of them at once would undo each other's work"
                    ),
                    say("move the store to a folder that is not synced; to use a second machine, copy the outbox there")
                )
            }
            checkSpace(volume)
        }
        check(OutboxLayout.editLock) {
            guard try store.outbox.survey.locksKeepOthersOut() == false else { return }
            report(
                .locks, OutboxLayout.editLock,
                say(
                    "the file system gives the lock to everybody who asks: two programs could write at once, and nothing is sent from here"
                ),
                localDiskAdvice)
        }
        checkClock()
    }

    private var localDiskAdvice: String {
        say("move the store to a disk of this machine")
    }

    private func checkVolume(_ volume: Volume) {
        switch volume.kind {
        case .local, .overlay: break
        case .memory:
            report(
                .place, FilePath(),
                say("the store lies in memory (\(volume.typeName)): all answers are gone when the machine stops"),
                localDiskAdvice)
        case .network:
            report(
                .place, FilePath(),
                volume.keepsLocksToItself
                    ? say(
                        "the store lies on another machine (\(volume.typeName)): that an answer is saved is only as true as what that machine says, and locks are not seen by others who have the volume mounted"
                    )
                    : say(
                        "the store lies on another machine (\(volume.typeName)): that an answer is saved is only as true as what that machine says"
                    ),
                volume.keepsLocksToItself
                    ? say("use it from one machine only, or move the store to a disk of this machine")
                    : localDiskAdvice)
        case .program:
            report(
                .place, FilePath(),
                say("the store lies on a volume of a program (\(volume.typeName)), which may lose what it was given"),
                localDiskAdvice)
        case .withoutPermissions:
            report(
                .place, FilePath(),
                say(
                    "the volume (\(volume.typeName)) supports no permissions: anyone with access to it can read the store"
                ),
                localDiskAdvice)
        }
    }

    private func checkSpace(_ volume: Volume) {
        if volume.freeBytes < Self.littleBytes {
            report(
                .space, FilePath(),
                say("the disk is all but full: \(ByteCount.format(volume.freeBytes, language)) are free"),
                say("free some space; until then answers are saved in the space that the cache gives up"))
        } else if let files = volume.freeFiles, files < Self.fewFiles {
            report(
                .space, FilePath(),
                say("the disk has room for \(files) more files only (its inodes are used up)"),
                say("remove files that you do not need"))
        }
    }

    /// The space of some hundreds of answers.
    static let littleBytes: Int64 = 1 << 20
    static let fewFiles: Int64 = 100

    /// Notes about the location of the store that are not faults: they do not count as findings.
    static func notes(_ fileSystem: any FileSystem, _ language: Language) throws -> [String] {
        let volume = try fileSystem.volume()
        if volume.kind == .overlay {
            return [
                language.text(
                    "The store lies in a container's own layer: it is gone with the container, unless you mount a volume."
                )
            ]
        }
        guard volume.kind != .memory, volume.place.starts(with: "/tmp") else { return [] }
        return [
            language.text("The store lies below /tmp, which many machines empty when they start.")
        ]
    }

    // MARK: The clock

    private func checkClock() {
        let advice = say(
            "set the clock (“timedatectl set-ntp true” lets the machine do it); tests are sent all the same")
        // Earlier than this program is.
        if now < Timestamp(millisecondsSinceEpoch: 1_735_689_600_000) {
            report(
                .clock, FilePath(),
                say("this machine's clock says \(now.inWords)"), advice)
        } else if let skew = store.journal.contact()?.clockSkewSeconds(now: now) {
            report(
                .clock, StoreLayout.log,
                say(
                    "this machine's clock differs from the server's by \(TimeSpan.format(seconds: abs(skew), language))"
                ),
                advice)
        }
    }
}
