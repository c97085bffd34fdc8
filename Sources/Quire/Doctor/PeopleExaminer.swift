import Disk
import Model
import SystemPackage

/// Examines the people who share the device, and their PINs.
struct PeopleExaminer: Examiner {
    let examination: Examination

    func examine() {
        checkPINs()
        check(StoreLayout.people) {
            guard try fileSystem.status(at: StoreLayout.people)?.kind == .folder else { return }
            for entry in try fileSystem.list(StoreLayout.people).sorted(by: { $0.name < $1.name })
            where !fileSystem.isTemporaryName(entry.name) {
                let path = StoreLayout.people.appending(name: entry.name)
                let isKnown =
                    StoreLayout.isPersonName(entry.name)
                    || [StoreLayout.currentPerson, StoreLayout.classList].contains(path)
                // Links and pipes are named where the whole tree is looked at.
                guard entry.kind == .folder || entry.kind == .regular && !isKnown else { continue }
                reportStranger(path, .misnamed(.person))
            }
            for fault in try store.people.state().faults where !isNamed(fault.path) {
                reportForQuarantine(fault.path, .unreadable(.person, reason: fault.reason))
            }
        }
    }

    /// One that cannot be read locks its person out until it is reset.
    private func checkPINs() {
        check(StoreLayout.keys) {
            guard try fileSystem.status(at: StoreLayout.keys)?.kind == .folder else { return }
            for entry in try fileSystem.list(StoreLayout.keys).sorted(by: { $0.name < $1.name })
            where StoreLayout.isPINName(entry.name) && entry.kind == .regular {
                let path = StoreLayout.keys.appending(name: entry.name)
                guard !isNamed(path), try !store.people.pins.isUsable(path) else { continue }
                reportForQuarantine(path, .unreadablePIN)
            }
        }
    }
}
