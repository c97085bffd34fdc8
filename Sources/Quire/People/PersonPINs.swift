import Disk
import Model
import SystemPackage
import WireFormat

/// The PINs of the people of a device: `keys/<id>.pin.json`, for its owner alone. No snapshot and no export has them.
package struct PersonPINs: Sendable {
    private struct Entry: Codable {
        var person: String
        var pin: PINHash
        var tries: PINTries?
    }

    let fileSystem: any FileSystem
    let clock: any StoreClock

    private static let maximumBytes: Int64 = 1 << 16

    /// The ids of those of the people who have a PIN.
    package func holders(among people: [Person]) throws -> Set<String> {
        guard try fileSystem.status(at: StoreLayout.keys)?.kind == .folder else { return [] }
        let names = Set(try fileSystem.list(StoreLayout.keys).map(\.name))
        return Set(
            people.map(\.id).filter { id in
                StoreLayout.pinPath(person: id).name.map { names.contains($0) } == true
            })
    }

    package func isSet(for person: String) throws -> Bool {
        try fileSystem.status(at: StoreLayout.pinPath(person: person)) != nil
    }

    /// A file that cannot be read locks: it may be the one of a PIN.
    private func entry(_ person: Person) throws -> Entry? {
        let path = StoreLayout.pinPath(person: person.id)
        guard try fileSystem.status(at: path) != nil else { return nil }
        guard let bytes = try? fileSystem.readFile(path, maximumBytes: Self.maximumBytes).bytes,
            let entry = try? DocumentCoding.decode(Entry.self, from: bytes), entry.person == person.id,
            entry.pin.isUsable
        else { throw PersonError.unreadablePIN(person) }
        return entry
    }

    /// Whether a file is a PIN's that can be used.
    func isUsable(_ path: FilePath) throws -> Bool {
        let bytes = try fileSystem.readFile(path, maximumBytes: Self.maximumBytes).bytes
        guard let entry = try? DocumentCoding.decode(Entry.self, from: bytes) else { return false }
        return entry.pin.isUsable && StoreLayout.pinPath(person: entry.person) == path
    }

    private func save(_ entry: Entry) throws {
        try fileSystem.removeAbandonedTemporaryFiles(in: StoreLayout.keys, isShared: true)
        try fileSystem.writeDurably(
            try DocumentCoding.encode(entry), to: StoreLayout.pinPath(person: entry.person),
            temporaryFolder: StoreLayout.keys)
    }

    /// One try at a time, so that many at once are not more than many in a row.
    private func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
        try fileSystem.makeDurableFolder(StoreLayout.keys)
        let lock = try LockFile.acquire(StoreLayout.pinLock, in: fileSystem, wait: true)
        return try withExtendedLifetime(lock, body)
    }

    // MARK: Trying

    /// Compares what was typed with the PIN of a person; nothing is asked of one without a PIN.
    ///
    /// - Parameter code: the code with which they proved themselves on this device. It opens too, and waits for nothing.
    /// - Throws: `PersonError.pinNeeded`, `.wrongPIN`, `.pinWait`, `.unreadablePIN`.
    func check(_ typed: String?, of person: Person, code: String?) throws {
        guard try isSet(for: person.id) else { return }
        let typed = (typed ?? "").filter { !$0.isNewline }
        if typed.allSatisfy(\.isWhitespace) { throw PersonError.pinNeeded(person) }
        if let code, PersonalCode(typed)?.text == code { return try forgive(person) }
        try exclusively {
            guard var entry = try entry(person) else { return }
            let now = clock.now
            if let tries = entry.tries {
                let seconds = tries.remainingSeconds(now)
                if seconds > 0 {
                    if tries.at > now {
                        entry.tries?.at = now
                        try save(entry)
                    }
                    throw PersonError.pinWait(person, seconds: seconds)
                }
            }
            // Counted before it is compared: a process that is killed in between does not give a further try.
            let tries = PINTries(wrong: min((entry.tries?.wrong ?? 0) + 1, 1 << 20), at: now)
            entry.tries = tries
            try save(entry)
            guard let pin = PIN(typed), try entry.pin.matches(pin) else {
                throw PersonError.wrongPIN(person, waitSeconds: PINTries.waitSeconds(after: tries.wrong))
            }
            entry.tries = nil
            try save(entry)
        }
    }

    /// Forgets wrong tries.
    func forgive(_ person: Person) throws {
        guard try isSet(for: person.id) else { return }
        try exclusively {
            // One that cannot be read has no tries to forget.
            guard var entry = try? entry(person), entry.tries != nil else { return }
            entry.tries = nil
            try save(entry)
        }
    }

    // MARK: Setting

    /// Sets or changes the PIN of a person, durably; `nil` removes it.
    func set(_ pin: PIN?, of person: Person, rounds: Int) throws {
        if let pin {
            let hash = try PINHash(pin, rounds: rounds)
            return try exclusively { try save(Entry(person: person.id, pin: hash, tries: nil)) }
        }
        guard try isSet(for: person.id) else { return }
        try exclusively {
            try fileSystem.removeIfPresent(StoreLayout.pinPath(person: person.id))
            try fileSystem.makeDurable(folder: StoreLayout.keys)
        }
    }
}
