import Disk
import Model
import SystemPackage
import Wording

/// Examines `store.json`, and how the token is kept.
struct SettingsExaminer: Examiner {
    let examination: Examination
    /// Whether a token is sent that the settings do not name.
    let hasToken: Bool
    /// Why the remote of the settings is none.
    let remoteFault: String?

    func examine() {
        let settings = store.settings
        check(StoreLayout.settings) {
            for name in settings.otherFields.keys.sorted() {
                report(
                    .settings, StoreLayout.settings,
                    say("“\(name)” is no setting that this program knows, so it has no effect"),
                    say("correct its spelling, or remove it; the settings are named in docs/format.md"))
            }
            if let remoteFault {
                report(
                    .settings, StoreLayout.settings, "remote: \(remoteFault)",
                    say("set another one: “quire remote set URL”"))
            }
            if let quota = settings.quotaBytes, quota < Self.smallestQuotaBytes {
                reportOdd(
                    "quotaBytes",
                    quota < Self.leastQuotaBytes
                        ? say("a cache of \(ByteCount.format(quota, language)) can keep nothing")
                        : say(
                            "a cache of \(ByteCount.format(quota, language)) can keep a few short questionnaires at most"
                        ))
            }
            if let ttl = settings.ttlSeconds, ttl < 60 {
                reportOdd(
                    "ttlSeconds",
                    say("what was pulled would be removed at once"))
            }
            if settings.deviceId.isEmpty {
                reportOdd(
                    "deviceId", say("the device has no name in its tests"))
            }
            for rule in settings.cacheControl where rule.pattern.isEmpty || rule.value.isEmpty {
                reportOdd(
                    "cacheControl", say("a rule has no pattern or no value"))
            }
            try checkTokenFile()
        }
        checkWay(hasToken: hasToken || settings.tokenFile != nil)
    }

    static let smallestQuotaBytes: Int64 = 64 << 10
    /// The space of one document: a block each for its content, its entry and its folder, and one to replace it.
    static let leastQuotaBytes: Int64 = 4 * 4096

    private func reportOdd(_ name: String, _ what: String) {
        report(
            .settings, StoreLayout.settings, "\(name): \(what)",
            say("correct it in store.json"))
    }

    /// A token that goes where everybody on the way can read it.
    private func checkWay(hasToken: Bool) {
        guard hasToken, let remote = store.settings.remote, remote.lowercased().hasPrefix("http://") else { return }
        let host = remote.dropFirst("http://".count).prefix { $0 != "/" }
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" }.dropFirst() : host.prefix { $0 != ":" }
        guard !HostAndPort.isLoopback(name) else { return }
        report(
            .token, StoreLayout.settings,
            say("the token is sent to \(host) without encryption: anyone on the network path can read it"),
            say("use https: “quire remote set https://…”"))
    }

    /// The file is outside the store: it is checked in its place, on the real disk.
    private func checkTokenFile() throws {
        guard let file = store.settings.tokenFile, fileSystem is POSIXFileSystem else { return }
        let path = FilePath(file)
        guard let name = path.lastComponent else {
            return reportOdd("tokenFile", say("it names no file"))
        }
        let folder = path.removingLastComponent()
        let status: FileStatus?
        do throws(FileError) {
            status = try POSIXFileSystem(root: folder.isEmpty ? "." : folder).status(at: FilePath(name.string))
        } catch {
            if !error.isMissing { throw error }
            status = nil
        }
        guard let status else {
            return report(
                .token, StoreLayout.settings,
                say("the token's file \(file) is not there"),
                say("put it back, or name another with “quire remote set URL --token-file FILE”"))
        }
        guard !status.permissions.isDisjoint(with: [.groupReadWriteExecute, .otherReadWriteExecute]) else { return }
        report(
            .token, StoreLayout.settings,
            say("others can read the token in \(file)"),
            say("close it with “chmod 600 \(file)”, and ask for a new token"))
    }
}
