import Foundation

/// axe-core, which finds faults of accessibility, from the Python package that carries it.
enum AxeCore {
    /// `nil` where `.ci/deps tests` could not install it.
    static let script: String? = {
        let environment = ProcessInfo.processInfo.environment
        let caches = environment["XDG_CACHE_HOME"] ?? (environment["HOME"] ?? "/root") + "/.cache"
        let script = try? Files.text(caches + "/quire/axe/axe_core_python/axe.min.js")
        if script == nil { print("axe-core is not installed: the screens are not checked with it") }
        return script
    }()
}
