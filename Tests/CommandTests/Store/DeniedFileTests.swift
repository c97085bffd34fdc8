import Foundation
import Testing

@Suite("Files that this user may not read or write")
struct DeniedFileTests {
    private static let canTry = getuid() == 0 && Command.isInstalled("setpriv")

    @Test(
        "outside the store are no fault of the store, and those in it are said to be the store's",
        .enabled(if: canTry, "only root can become another user, by setpriv"))
    func denied() throws {
        let folder = try TemporaryFolder()
        #expect(chmod(folder.path, 0o755) == 0)
        let (home, closed) = (folder.path + "/home", folder.path + "/closed")
        for path in [home, closed] { try Files.makeFolder(path) }
        #expect(chown(home, 65534, 65534) == 0 && chmod(closed, 0o755) == 0)
        let store = home + "/store"
        func asUser(_ arguments: [String]) throws -> Outcome {
            try ChildProcess(
                ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", Command.binary] + arguments,
                environment: Command.environment(home: home, ["QUIRE_STORE": store]), folder: folder.path
            ).end()
        }
        guard try asUser(["--version"]).exitCode == 0 else { return }
        #expect(try asUser(["init"]).exitCode == 0)
        let exported = try asUser(["outbox", "export", closed + "/x.tar"])
        #expect(exported.exitCode == 74 && exported.isOneSentence, "\(exported)")
        #expect(exported.errors.contains(closed + "/x.tar: permission denied\n"), "\(exported)")
        #expect(chown(store, 0, 0) == 0)
        let shut = try asUser(["list"])
        #expect(shut.exitCode == 74 && shut.isOneSentence, "\(shut)")
        #expect(shut.errors.contains("permission denied; the store belongs to another user"), "\(shut)")
    }
}
