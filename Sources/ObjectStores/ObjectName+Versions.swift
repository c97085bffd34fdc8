import SystemPackage

/// Objects are never replaced, so a file that changes is a folder of numbered versions, `people/list.json/0000000002`, of
/// which the greatest counts.
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
        try self.init(checking: ObjectVersion.name(number, of: path.string))
    }

    /// The number of a version; `nil` for another object's name.
    package var versionNumber: Int? { ObjectVersion.number(of: self) }
}
