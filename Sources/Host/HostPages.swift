import Hummingbird

/// Pages beside the protocol, such as the desk: what they answer, and where they are.
package struct HostPages: Sendable {
    /// The first component of their paths.
    package let root: String
    /// - Parameter client: the address of the connection, as far as it is known.
    package let respond: @Sendable (_ request: Request, _ client: String) async -> Response

    package init(root: String, respond: @escaping @Sendable (_ request: Request, _ client: String) async -> Response) {
        self.root = root
        self.respond = respond
    }

    func areAt(_ path: String) -> Bool { path == "/" + root || path.hasPrefix("/\(root)/") }
}
