import Model

/// Proves that a store lets exactly one writer make an object. A store that ignores create-only writes would lose answers
/// without a word, so none is used unproven.
package enum StoreProof {
    package static let writers = 8
    /// A store that looks first and writes then lets one round pass by chance: OpenStack Swift 2.38 one in four to one in two,
    /// measured on loopback. So many rounds pass once in 60 000 times where one round passes every second time.
    package static let rounds = 16

    /// Lets eight writers race for one new object, sixteen times, and removes what they made.
    ///
    /// - Throws: `ObjectStoreError` of the kind `.unusable` for a store that does not keep the contract, others where it
    ///   could not be asked.
    package static func run(on store: some ObjectStore) async throws(ObjectStoreError) {
        let run = TestID.random().description
        var made: [ObjectName] = []
        do throws(ObjectStoreError) {
            for round in 1...rounds {
                guard let name = ObjectName("proof/\(run)/\(round)") else { return }
                made.append(name)
                try await race(for: name, in: store)
                if round == 1 { try await checkListing(of: name, in: store) }
            }
        } catch {
            // What the race made is of no use to anyone; what failed is reported, not this.
            do throws(ObjectStoreError) { try await delete(made, from: store) } catch {}
            throw error
        }
        try await delete(made, from: store)
        if let name = made.first, try await store.head(name) != nil {
            throw ObjectStoreError(
                .unusable, "\(store.place) still has an object that was deleted: it cannot be used")
        }
    }

    private static func delete(_ names: [ObjectName], from store: some ObjectStore) async throws(ObjectStoreError) {
        let faults = await withTaskGroup(of: ObjectStoreError?.self) { group in
            for name in names {
                group.addTask {
                    do throws(ObjectStoreError) {
                        try await store.delete(name)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
        }
        if let fault = faults.first { throw fault }
    }

    private static func race(for name: ObjectName, in store: some ObjectStore) async throws(ObjectStoreError) {
        let results = await withTaskGroup(of: Result<Int?, ObjectStoreError>.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    do throws(ObjectStoreError) {
                        return .success(try await store.putIfAbsent(name, mark(writer)) == .created ? writer : nil)
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var winners: [Int] = []
        for result in results { if let winner = try result.get() { winners.append(winner) } }
        guard winners.count == 1 else {
            throw ObjectStoreError(
                .unusable,
                "\(store.place) let \(winners.count) of \(writers) writers make the same object, and must let exactly one: "
                    + "answers could be lost there, so it is not used; use a store that honours “If-None-Match: *”")
        }
        guard try await store.bytes(of: name, maximumBytes: 100) == mark(winners[0]) else {
            throw ObjectStoreError(
                .unusable,
                "\(store.place) keeps other bytes than those of the writer that it let win: it cannot be used")
        }
    }

    private static func checkListing(of name: ObjectName, in store: some ObjectStore) async throws(ObjectStoreError) {
        guard try await store.list(prefix: name.text, after: nil, limit: 2).map(\.name) == [name] else {
            throw ObjectStoreError(
                .unusable, "\(store.place) does not list an object that was just made: it cannot be used")
        }
    }

    private static func mark(_ writer: Int) -> [UInt8] { Array("writer \(writer)\n".utf8) }
}
