import Foundation

/// axe-core, which finds faults of accessibility, from the Python package that carries it.
enum AxeCore {
    /// `nil` where `.ci/deps tests` could not install it.
    static let script: String? = {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"] ?? "/root"
        let place = try? Command.run(
            "python3", "-c",
            "import importlib.util as u; print(u.find_spec('axe_core_python').submodule_search_locations[0])",
            in: NSTemporaryDirectory(), environment: ["HOME": home])
        let script = place.flatMap { try? Files.text($0.split(separator: "\n").joined() + "/axe.min.js") }
        if script == nil { print("axe-core is not installed: the screens are not checked with it") }
        return script
    }()
}
