import Disk
import Model
import SystemPackage

/// The people who share the device.
extension Examination {
    func checkPeople() {
        check(StoreLayout.people) {
            guard try fileSystem.status(at: StoreLayout.people)?.kind == .folder else { return }
            for entry in try fileSystem.list(StoreLayout.people).sorted(by: { $0.name < $1.name })
            where !fileSystem.isTemporaryName(entry.name) {
                let path = StoreLayout.people.appending(entry.name)
                let isKnown =
                    StoreLayout.isPersonName(entry.name)
                    || [StoreLayout.currentPerson, StoreLayout.classList].contains(path)
                // Links and pipes are named where the whole tree is looked at.
                guard entry.kind == .folder || entry.kind == .regular && !isKnown else { continue }
                reportStranger(path, entry, say("its name is not that of a person"))
            }
            for fault in try store.people.state().faults where !isNamed(fault.path) {
                let what = say("it names no person: \(fault.reason)")
                report(.unreadable, fault.path, what, quarantineAdvice) { try self.quarantine(fault.path, what) }
            }
        }
    }
}
