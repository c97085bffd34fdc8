import Disk
import Model
import OutboxStore
import SystemPackage

/// Examines the location of the store, its locks, its free space, and the clock.
struct PlaceExaminer: Examiner {
    let examination: Examination

    func examine() {
        check(FilePath()) {
            let volume = try fileSystem.volume()
            checkVolume(volume)
            if let program = volume.syncingProgram {
                report(FilePath(), .syncedFolder(program: program))
            }
            checkSpace(volume)
        }
        check(OutboxLayout.editLock) {
            guard try store.outbox.survey.locksKeepOthersOut() == false else { return }
            report(OutboxLayout.editLock, .unreliableLocks)
        }
        checkClock()
    }

    private func checkVolume(_ volume: Volume) {
        switch volume.kind {
        case .local, .overlay: break
        case .memory, .network, .program, .withoutPermissions: report(FilePath(), .volume(volume))
        }
    }

    private func checkSpace(_ volume: Volume) {
        if volume.freeBytes < Self.littleBytes {
            report(FilePath(), .littleSpace(freeBytes: volume.freeBytes))
        } else if let files = volume.freeFiles, files < Self.fewFiles {
            report(FilePath(), .fewFiles(free: files))
        }
    }

    /// The space of some hundreds of answers.
    static let littleBytes: Int64 = 1 << 20
    static let fewFiles: Int64 = 100

    /// Notes about the location of the store that are not faults: they do not count as findings.
    static func notes(_ volume: Volume) -> [PlaceNote] {
        if volume.kind == .overlay { return [.containerLayer] }
        return volume.kind != .memory && volume.place.isWithin("/tmp") ? [.temporaryFolder] : []
    }

    // MARK: The clock

    private func checkClock() {
        // Earlier than this program is.
        if now < Timestamp(millisecondsSinceEpoch: 1_735_689_600_000) {
            report(FilePath(), .clock(now))
        } else if let skew = store.journal.contact()?.clockSkewSeconds(now: now) {
            report(StoreLayout.log, .clockSkew(seconds: skew))
        }
    }
}
