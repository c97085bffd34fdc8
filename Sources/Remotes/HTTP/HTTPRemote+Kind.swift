import Model

extension RemoteKind {
    /// A Quire server, or a hub in place of one.
    static let server = RemoteKind(
        schemes: ["http", "https"], encryptedSchemes: ["https"],
        form: "a URL such as https://school.example or http://127.0.0.1:8484, "
            + "without a name, password, query or fragment",
        validate: { base throws(RemoteAddressError) in _ = try HTTPAddress(base) },
        open: {
            try HTTPRemote(base: $0, token: $1.token, clock: $1.clock, trust: $1.trust, proxies: $1.proxies)
        },
        prepare: { base, _ in _ = try HTTPAddress(base) },
        usesDefaultRoute: { base in
            guard let address = try? HTTPAddress(base) else { return false }
            return !PresenceProbe.isHere(address.host)
        },
        medium: .hub, hasPeople: true)
}
