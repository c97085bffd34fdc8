/// Identifies one boot of the machine: unsynced data from before a restart cannot be trusted after it.
package enum BootIdentity {
    /// The kernel's random identity of this boot; empty where the machine has none.
    package static let current: String = {
        do {
            let kernel = try POSIXFileSystem(root: "/proc/sys/kernel/random")
            // A file of /proc reports a length of 0, so its length is no limit.
            let (bytes, _) = try kernel.readFile("boot_id", maximumBytes: 128)
            return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        } catch {
            return ""
        }
    }()
}
