/// The names of the numbered versions of a file: `people/list.json/0000000002`, of which the greatest number counts.
package enum ObjectVersion {
    private static let digits = 10
    /// A longer number would have another place in the order of names.
    package static let greatest = 9_999_999_999

    /// - Throws: `ObjectStoreError` for a number after the greatest.
    package static func name(_ number: Int, of path: String) throws(ObjectStoreError) -> String {
        guard number <= greatest else {
            throw ObjectStoreError(
                .refused,
                "\(path) has the version \(greatest), after which there is no number: Quire did not get there by counting, so remove that object, or restore the bucket from a copy"
            )
        }
        return path + "/" + written(number)
    }

    /// A number that there is, as the name of its version.
    package static func written(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// The number of a version; `nil` for the name of anything else.
    package static func number(of name: ObjectName) -> Int? {
        name.text.split(separator: "/").last.flatMap { number(in: $0) }
    }

    /// The number that a version has as its name in its folder; `nil` for any other name.
    package static func number(in name: Substring) -> Int? {
        name.utf8.count == digits && name.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(name) : nil
    }
}
