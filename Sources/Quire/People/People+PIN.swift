import Model

/// The PINs that lock people.
extension People {
    /// Lets a person become the current one who is not.
    ///
    /// - Throws: as `PersonPINs.check`.
    func unlock(_ person: Person, pin: String?) throws {
        if try state().current?.id != person.id { try check(pin, of: person) }
    }

    private func check(_ pin: String?, of person: Person) throws {
        guard try pins.isSet(for: person.id) else { return }
        try pins.check(pin, of: person, code: try keys.all()[person.id])
    }

    /// Sets, changes or removes the PIN of the current person.
    ///
    /// - Parameters:
    ///   - text: the new one; `nil` removes it.
    ///   - former: where there is a PIN: that one, or the code of the person.
    ///   - rounds: the cost of the hash.
    /// - Throws: `PersonError.noneCurrent`, `.invalidPIN`, and as `PersonPINs.check`.
    package func setPIN(_ text: String?, former: String?, rounds: Int? = nil) throws {
        guard let person = try current() else { throw PersonError.noneCurrent }
        let pin = try text.map { text in
            guard let pin = PIN(text) else { throw PersonError.invalidPIN }
            return pin
        }
        try check(former, of: person)
        try pins.set(pin, of: person, rounds: rounds ?? PINHash.standardRounds)
    }

    /// Removes the PIN of a person who forgot it: for the operator of the device.
    ///
    /// - Throws: `PersonError.unknown`, `.ambiguous`.
    package func resetPIN(of text: String) throws -> Person {
        let person = try person(named: text)
        try pins.set(nil, of: person, rounds: PINHash.standardRounds)
        return person
    }
}
