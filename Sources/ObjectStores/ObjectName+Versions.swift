import SystemPackage

/// Objects are never replaced, so a file that changes is a folder of numbered versions, `people/list.json/0000000002`, of
/// which the greatest counts.
extension ObjectName {
    private static let digits = 10

    /// - Throws: `ObjectStoreError` for a text that is not a name.
    package init(checking text: String) throws(ObjectStoreError) {
        guard let name = ObjectName(text) else {
            throw ObjectStoreError(.refused, "“\(text.prefix(300))” cannot be the name of an object")
        }
        self = name
    }

    /// The name of a version of a file.
    package init(version number: Int, of path: FilePath) throws(ObjectStoreError) {
        try self.init(checking: Self.versionText(number, of: path))
    }

    package static func versionText(_ number: Int, of path: FilePath) -> String {
        let text = String(number)
        return path.string + "/" + String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// The number of a version; `nil` for another object's name.
    package var versionNumber: Int? {
        text.split(separator: "/").last.flatMap { $0.utf8.count == Self.digits ? Int($0) : nil }
    }
}
