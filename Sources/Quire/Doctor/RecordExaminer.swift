import Disk
import Model
import Sync
import SystemPackage

/// Examines marks, the log, and quarantined files.
struct RecordExaminer: Examiner {
    let examination: Examination

    func examine() {
        check(StoreLayout.marks) { try checkMarks() }
        check(StoreLayout.log) { try checkLog() }
        check(StoreLayout.quarantine) { try checkQuarantine() }
    }

    private func checkMarks() throws {
        guard try fileSystem.status(at: StoreLayout.marks)?.kind == .folder else { return }
        for entry in try fileSystem.list(StoreLayout.marks).sorted(by: { $0.name < $1.name })
        where !fileSystem.isTemporaryName(entry.name) {
            let path = StoreLayout.marks.appending(name: entry.name)
            guard entry.kind == .regular, let kind = StoreLayout.markKind(name: entry.name) else {
                // Links and pipes are named where the whole tree is looked at.
                if entry.kind == .regular || entry.kind == .folder { reportStranger(path, .misnamed(.mark)) }
                continue
            }
            let bytes: [UInt8]
            do throws(FileError) {
                bytes = try fileSystem.readFile(path, maximumBytes: 1 << 16).bytes
            } catch {
                if error.isMissing { continue }
                reportForQuarantine(path, .unreadable(.mark, reason: error.description))
                continue
            }
            do throws(DocumentFault) {
                let mark = try DocumentCoding.decode(Mark.self, from: bytes)
                if StoreLayout.markName(id: mark.id, kind) != entry.name { reportMisnamed(path, mark, kind) }
            } catch {
                reportForQuarantine(path, .unreadable(.mark, reason: error.description))
            }
        }
    }

    /// The content counts; under its own name it can be taken away again.
    private func reportMisnamed(_ path: FilePath, _ mark: Mark, _ kind: Mark.Kind) {
        report(path, .misnamedMark(id: mark.id)) {
            let right = StoreLayout.markPath(id: mark.id, kind)
            if try self.fileSystem.status(at: right) != nil {
                return try self.quarantine(path, .secondMark(id: mark.id))
            }
            try self.fileSystem.move(path, to: right, replacing: false)
            try self.fileSystem.makeDurable(folder: StoreLayout.marks)
            return true
        }
    }

    private func checkLog() throws {
        for fault in try store.journal.faults() where !isNamed(fault.path) {
            if fault.isStranger {
                guard let status = try fileSystem.status(at: fault.path) else { continue }
                if status.kind == .regular || status.kind == .folder { reportStranger(fault.path, .stranger(.log)) }
                continue
            }
            reportForQuarantine(fault.path, .unreadable(.log, reason: fault.reason))
        }
    }

    private func checkQuarantine() throws {
        guard try fileSystem.status(at: StoreLayout.quarantine)?.kind == .folder else { return }
        let names = Set(try fileSystem.list(StoreLayout.quarantine).map(\.name))
        for name in names.sorted() where name.hasSuffix(StoreLayout.reasonSuffix) {
            guard !names.contains(String(name.dropLast(StoreLayout.reasonSuffix.count))) else { continue }
            let path = StoreLayout.quarantine.appending(name: name)
            // The reason is written before the file: a new one is not alone for long.
            guard let status = try fileSystem.status(at: path), now.seconds(since: status.modified) > 60 else {
                continue
            }
            report(path, .reasonWithoutFile) {
                try self.fileSystem.removeIfPresent(path)
                return true
            }
        }
    }
}
