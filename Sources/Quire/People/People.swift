import Disk
import Model
import OutboxStore
import SystemPackage

/// The people who share this device: one small file each, and one that names the current person.
package struct People: Sendable {
    let fileSystem: any FileSystem
    let outbox: Outbox
    let clock: any StoreClock

    /// The codes with which they proved themselves here.
    package var keys: PersonalKeys { PersonalKeys(fileSystem: fileSystem) }
    package var pins: PersonPINs { PersonPINs(fileSystem: fileSystem, clock: clock) }
    package var classList: FetchedClassList { FetchedClassList(fileSystem: fileSystem, keys: keys) }

    /// The files as they are now.
    package struct State: Sendable, Hashable {
        /// By name, then by group and id.
        package var people: [Person] = []
        /// `nil` also where the file names a person who is not there.
        package var current: Person?
        /// Files that cannot be read as a person; `doctor` reports them.
        package var faults: [Fault] = []

        package init() {}
    }

    package struct Fault: Sendable, Hashable {
        package var path: FilePath
        package var reason: String
    }

    /// The content of `current.json`.
    struct Current: Codable {
        var id: String
    }

    private static let maximumBytes: Int64 = 1 << 16

    // MARK: Looking

    package func state() throws -> State {
        var state = State()
        guard try fileSystem.status(at: StoreLayout.people)?.kind == .folder else { return state }
        var seen: Set<String> = []
        for entry in try fileSystem.list(StoreLayout.people).sorted(by: { $0.name < $1.name })
        where StoreLayout.isPersonName(entry.name) {
            let path = StoreLayout.people.appending(name: entry.name)
            // The content counts, whatever the file's name is.
            guard let person = try read(Person.self, path, &state), seen.insert(person.id).inserted else { continue }
            state.people.append(person)
        }
        state.people.sort { ($0.name, $0.group ?? "", $0.id) < ($1.name, $1.group ?? "", $1.id) }
        if let current = try read(Current.self, StoreLayout.currentPerson, &state) {
            state.current = state.people.first { $0.id == current.id }
        }
        return state
    }

    /// The current person in the form in which a new test names them.
    package func current() throws -> Person? { try state().current?.reference }

    /// The people of this device, and those whose tests are on it: from another machine, or because their file is gone.
    package func known() throws -> [Person] {
        var known = try state().people
        var ids = Set(known.map(\.id))
        for item in try outbox.scan().tests {
            guard let person = outbox.listed(item)?.record.person, ids.insert(person.id).inserted else { continue }
            known.append(person.reference)
        }
        return known.sorted { ($0.name, $0.group ?? "", $0.id) < ($1.name, $1.group ?? "", $1.id) }
    }

    /// The tests that the current person may see.
    package func shown() throws -> ShownTests { ShownTests(try state()) }

    private func read<Value: Decodable>(_ type: Value.Type, _ path: FilePath, _ state: inout State) throws -> Value? {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try fileSystem.readFile(path, maximumBytes: Self.maximumBytes).bytes
        } catch {
            if error.isMissing { return nil }
            guard [.fileTooLarge, .invalidArgument, .tooManySymbolicLinkLevels].contains(error.code) else {
                throw error
            }
            state.faults.append(Fault(path: path, reason: error.description))
            return nil
        }
        do throws(DocumentFault) {
            return try DocumentCoding.decode(type, from: bytes)
        } catch {
            state.faults.append(Fault(path: path, reason: error.description))
            return nil
        }
    }

    // MARK: Changing

    /// Adds or changes a person, durably.
    package func save(_ person: Person) throws {
        try write(person, to: StoreLayout.personPath(id: person.id))
    }

    /// Makes a person the current one, durably; `nil` for no one.
    package func use(_ person: Person?) throws {
        if let person { return try write(Current(id: person.id), to: StoreLayout.currentPerson) }
        guard try fileSystem.status(at: StoreLayout.people) != nil else { return }
        try fileSystem.removeIfPresent(StoreLayout.currentPerson)
        try fileSystem.makeDurable(folder: StoreLayout.people)
    }

    private func write(_ value: some Encodable, to path: FilePath) throws {
        try fileSystem.makeDurableFolder(StoreLayout.people)
        // Files of killed writers: this folder has no sweep of its own.
        try fileSystem.removeAbandonedTemporaryFiles(in: StoreLayout.people, isShared: true)
        try fileSystem.writeDurably(
            try DocumentCoding.encode(value), to: path, temporaryFolder: StoreLayout.people)
    }
}
