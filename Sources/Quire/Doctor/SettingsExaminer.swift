import Disk
import Model
import SystemPackage

/// Examines `store.json`, and how the token is kept.
struct SettingsExaminer: Examiner {
    let examination: Examination
    /// Whether a token is sent that the settings do not name.
    let hasToken: Bool
    /// Why the remote of the settings cannot be used.
    let remoteFault: String?

    func examine() {
        let settings = store.settings
        check(StoreLayout.settings) {
            for name in settings.otherFields.keys.sorted() where !Self.hubSettings.contains(name) {
                report(StoreLayout.settings, .unknownSetting(name))
            }
            if let remoteFault { report(StoreLayout.settings, .remote(fault: remoteFault)) }
            if let quota = settings.quotaBytes, quota < Self.smallestQuotaBytes {
                reportOdd(.quotaBytes(quota, keepsNothing: quota < Self.leastQuotaBytes))
            }
            if let ttl = settings.ttlSeconds, ttl < 60 { reportOdd(.ttlSeconds) }
            if settings.deviceId.isEmpty { reportOdd(.deviceId) }
            for rule in settings.cacheControl where rule.pattern.isEmpty || rule.value.isEmpty {
                reportOdd(.cacheControl)
            }
            try checkTokenFile()
        }
        checkWay(hasToken: hasToken || settings.tokenFile != nil)
    }

    /// Members that only a hub reads; the command takes them out of the other ones.
    private static let hubSettings: Set = ["keep", "keepAll", "names", "showPeople"]
    static let smallestQuotaBytes: Int64 = 64 << 10
    /// The space of one document: a block each for its content, its entry and its folder, and one to replace it.
    static let leastQuotaBytes: Int64 = 4 * 4096

    private func reportOdd(_ setting: Finding.What.Setting) { report(StoreLayout.settings, .oddSetting(setting)) }

    /// A token that goes where everybody on the way can read it.
    private func checkWay(hasToken: Bool) {
        guard hasToken, let remote = store.settings.remote, remote.lowercased().hasPrefix("http://") else { return }
        let host = remote.dropFirst("http://".count).prefix { $0 != "/" }
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" }.dropFirst() : host.prefix { $0 != ":" }
        guard !HostAndPort.isLoopback(name) else { return }
        report(StoreLayout.settings, .unencryptedToken(host: String(host)))
    }

    /// The file is outside the store: it is checked in its place, on the real disk.
    private func checkTokenFile() throws {
        guard let file = store.settings.tokenFile, fileSystem is POSIXFileSystem else { return }
        let status: FileStatus?
        do throws(FileError) {
            guard let named = try NamedFile(FilePath(file)) else { return reportOdd(.tokenFile) }
            status = try named.status()
        } catch {
            if !error.isMissing { throw error }
            status = nil
        }
        guard let status else { return report(StoreLayout.settings, .missingTokenFile(file)) }
        guard !status.permissions.isDisjoint(with: [.groupReadWriteExecute, .otherReadWriteExecute]) else { return }
        report(StoreLayout.settings, .openTokenFile(file))
    }
}
