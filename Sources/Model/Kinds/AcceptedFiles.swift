/// The files that a question takes: its `accept`, as the attribute of a browser's field has it, `image/*,.pdf`.
///
/// `Tests/Vectors/accepted-files.json` has the cases, for the app's script too.
package struct AcceptedFiles: Hashable, Sendable {
    /// In small letters: `.pdf`, `image/*`, `image/png`.
    package let entries: [String]
    /// What is neither an ending nor a type, and is ignored.
    package let unknown: [String]

    /// - Parameter list: separated by commas.
    package init(_ list: String) {
        let all = list.split(separator: ",").map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
        entries = all.filter(Self.isEntry).map { $0.lowercased() }
        unknown = all.filter { !Self.isEntry($0) }
    }

    /// Whether a file may be attached. Without an entry every file may.
    ///
    /// Of a file of unknown type, only a list of endings can say that it is not taken.
    ///
    /// - Parameter mediaType: as its device says; the name's ending counts beside it.
    package func takes(name: String, mediaType: String) -> Bool {
        guard !entries.isEmpty else { return true }
        let name = name.lowercased()
        let types = [mediaType, MediaType.of(fileName: name)].map(MediaType.name)
        let isUnknown = types.allSatisfy { $0.isEmpty || $0 == MediaType.unknown }
        return entries.contains { entry in
            if entry.hasPrefix(".") { return name.hasSuffix(entry) }
            if entry == "*/*" || isUnknown { return true }
            return types.contains { entry.hasSuffix("/*") ? $0.hasPrefix(entry.dropLast()) : $0 == entry }
        }
    }

    private static func isEntry(_ text: String) -> Bool {
        if text.hasPrefix(".") { return text.utf8.count > 1 }
        return MediaType.isType(text.hasSuffix("/*") ? text.dropLast() + "x" : text) || text == "*/*"
    }
}

extension Question {
    /// The files that it takes, where its author says so.
    package var acceptedFiles: AcceptedFiles? { input == .files ? accept.map(AcceptedFiles.init) : nil }
}
