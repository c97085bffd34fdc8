import Kiosk
import Quire
import Remotes

@main
struct KioskCommand {
    static func main() async throws { try await run(CommandLine.arguments.dropFirst().map { $0 }) }

    /// Not on the main actor: a session is used by one task, and no other needs it.
    @concurrent private static func run(_ arguments: [String]) async throws {
        guard arguments.count >= 3 else {
            print("usage: kiosk FOLDER SERVER list | take QUESTIONNAIRE | sync")
            return
        }
        let store = try open(FilePath(arguments[0]), remote: arguments[1])
        let remote = try HTTPRemote(base: arguments[1], token: nil, clock: store.clock)
        let session = KioskSession(
            store: store, remote: remote, show: { print($0) },
            ask: { question in
                print("\n" + question)
                return readLine()
            })
        do {
            switch (arguments[2], arguments.dropFirst(3).first) {
            case ("list", _): try session.list()
            case ("take", let id?): try await session.take(id)
            case ("sync", _): try await session.sync()
            default: print("There is no such command: \(arguments[2])")
            }
        } catch {
            await remote.shutdown()
            throw error
        }
        await remote.shutdown()
    }

    /// Opens the store, which is made the first time.
    private static func open(_ folder: FilePath, remote: String) throws -> QuireStore {
        do {
            return try QuireStore.open(at: folder)
        } catch StoreError.noStore {
            return try QuireStore.create(at: folder, settings: StoreSettings(remote: remote, deviceId: "kiosk"))
        }
    }
}
