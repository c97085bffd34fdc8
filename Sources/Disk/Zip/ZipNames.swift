/// Names of files in an archive, from texts of people: readable, and safe wherever they are unpacked.
package struct ZipNames: Sendable {
    /// A part of a path has at most so many bytes; file systems take 255.
    private static let longestPart = 180

    /// By their folded form: some file systems do not distinguish cases.
    private var taken: Set<String> = []

    package init() {}

    /// A path of these parts that no other file of the archive has.
    package mutating func path(_ parts: [String]) -> String {
        let safe = parts.map(Self.part)
        let name = safe.joined(separator: "/")
        if taken.insert(name.lowercased()).inserted { return name }
        let (stem, ending) = Self.divided(safe.last ?? "")
        var number = 2
        while true {
            let other = (safe.dropLast() + ["\(stem) (\(number))\(ending)"]).joined(separator: "/")
            if taken.insert(other.lowercased()).inserted { return other }
            number += 1
        }
    }

    /// A text as the name of a file or folder.
    static func part(_ text: String) -> String {
        let safe = text.unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "/", "\\", ":", "*", "?", "\"", "<", ">", "|": return "_"
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                    return "_"
                default: return Character(scalar)
                }
            }
        }
        var name = String(safe)
        while let first = name.first, first == "." || first == " " { name.removeFirst() }
        while let last = name.last, last == "." || last == " " { name.removeLast() }
        var (stem, ending) = divided(name)
        if ending.utf8.count > 20 { (stem, ending) = (name, "") }
        while stem.utf8.count + ending.utf8.count > longestPart { stem.removeLast() }
        name = stem + ending
        return name.isEmpty ? "_" : name
    }

    /// A name and its ending, with the point.
    private static func divided(_ name: String) -> (stem: String, ending: String) {
        guard let point = name.lastIndex(of: "."), point != name.startIndex else { return (name, "") }
        return (String(name[..<point]), String(name[point...]))
    }
}
