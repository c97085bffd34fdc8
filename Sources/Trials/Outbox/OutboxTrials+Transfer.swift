import Disk
import Model
import OutboxStore
import Simulation
import SystemPackage

/// Imports from other machines.
extension OutboxTrials {
    static let imports: [Trial] = [
        .outbox("importing a test that is new here") { world in
            [try world.person().create(.inProgress, Person.answers("Paris"))]
        } act: { world, files, _ in
            let other = try otherMachine(Person.answers("Oslo"))
            // Until it has returned nothing is promised of the test.
            _ = try world.outbox(files).transfer.importTests(reading(other.archive))
            world.ledger.change(other.id) { promise in
                promise.allowed = [Person.answers("Oslo")]
                promise.frozen = other.bytes
                promise.place = .done
            }
        },
        // The folder is flushed for the receipt, for the test, and once more before the copy that waited goes.
        .outbox(
            "importing the receipt of a test that waits here",
            needless: NeedlessSyncs { $0.hasSuffix(".test.json") || $0 == "outbox/sent" && $1 > 1 }
        ) { world in
            let id = try world.person().create(.done, Person.answers("Paris"))
            // The reply was lost.
            world.remote.respond { $0.isPut ? .cutAfterStoring : nil }
            try await world.sweep()
            world.remote.respond { _ in nil }
            return [id]
        } act: { world, files, ids in
            let outbox = world.outbox(files)
            guard let item = try outbox.find(ids[0]), let archive = try await delivered(item, in: outbox, world) else {
                return
            }
            world.ledger.place(nil, ids)
            _ = try outbox.transfer.importTests(reading(archive))
            world.ledger.place(.sent, ids)
        },
    ]

    /// The archive of another machine on which a test was finished.
    private static func otherMachine(_ answers: [Answer]) throws -> (id: TestID, bytes: [UInt8], archive: [UInt8]) {
        let world = OutboxWorld()
        // Its first identity is that of this world's first test.
        _ = world.identities.next()
        let id = try world.person().create(.done, answers)
        var archive: [UInt8] = []
        _ = try world.outbox().transfer.export { archive += $0 }
        return (id, try world.outbox().read(OutboxItem(id: id, status: .done)).bytes, archive)
    }

    /// The archive of a machine from which this test was delivered.
    private static func delivered(
        _ item: OutboxItem, in outbox: Outbox, _ world: OutboxWorld
    ) async throws -> [UInt8]? {
        let stored = try outbox.read(item)
        let reply = try await world.remote.put(item.id, bytes: stored.bytes, digest: stored.digest)
        return archive([
            (OutboxLayout.testPath(item.id, .sent), stored.bytes),
            (OutboxLayout.receiptPath(item.id, .sent), reply.body),
        ])
    }

    /// A tar archive of files.
    package static func archive(_ files: [(path: FilePath, bytes: [UInt8])]) -> [UInt8] {
        files.flatMap { path, bytes in
            TarFormat.header(TarMember(name: path.string, kind: .file, sizeBytes: Int64(bytes.count))) + bytes
                + TarFormat.padding(after: bytes.count)
        } + TarFormat.end
    }

    /// Gives the bytes in pieces of odd lengths.
    package static func reading(_ bytes: [UInt8]) -> TarReader.Source {
        var rest = bytes[...]
        return { buffer in
            let piece = rest.prefix(min(buffer.count, 777))
            buffer.copyBytes(from: piece)
            rest = rest.dropFirst(piece.count)
            return piece.count
        }
    }
}
