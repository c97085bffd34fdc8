/// Tells one run of the machine from another: what was not synced before a restart is not to be believed after it.
package enum BootIdentity {
    /// The kernel's random identity of this boot; empty where the machine does not tell it.
    package static let current: String = {
        do {
            let kernel = try POSIXFileSystem(root: "/proc/sys/kernel/random")
            // A file of /proc says that it is empty, so its length is no bound.
            let (bytes, _) = try kernel.readFile("boot_id", maximumBytes: 128)
            return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        } catch {
            return ""
        }
    }()
}
