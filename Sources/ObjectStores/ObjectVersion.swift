import SystemPackage

/// The numbers of the versions of a file: `people/list.json/0000000002`, of which the greatest counts, since objects are never
/// replaced.
package enum ObjectVersion {
    private static let digits = 10
    /// A longer number would have another place in the order of names.
    package static let greatest = 9_999_999_999

    /// A number that there is, as the name of its version.
    package static func written(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// The number that a version has as its name in its folder; `nil` for any other name.
    package static func number(in name: Substring) -> Int? {
        name.utf8.count == digits && name.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(name) : nil
    }
}

extension ObjectName {
    /// - Throws: `ObjectStoreError` for a text that is not a name.
    package init(checking text: String) throws(ObjectStoreError) {
        guard let name = ObjectName(text) else {
            throw ObjectStoreError(.refused, "“\(text.prefix(300))” cannot be the name of an object")
        }
        self = name
    }

    /// The name of a version of a file.
    ///
    /// - Throws: `ObjectStoreError` for a number after the greatest.
    package init(version number: Int, of path: FilePath) throws(ObjectStoreError) {
        guard number <= ObjectVersion.greatest else {
            throw ObjectStoreError(
                .refused,
                "\(path) has the version \(ObjectVersion.greatest), after which there is no number: Quire did not get there by counting, so remove that object, or restore the bucket from a copy"
            )
        }
        try self.init(checking: path.string + "/" + ObjectVersion.written(number))
    }

    /// The number of a version; `nil` for another object's name.
    package var versionNumber: Int? { text.split(separator: "/").last.flatMap { ObjectVersion.number(in: $0) } }
}
