import Disk
import Model
import SystemPackage

/// A data folder in which an earlier program, without people and keys, kept tests.
package enum FormerFolder {
    /// Notes in the folder that a program with people and keys was started in it. Blocks on the disk.
    ///
    /// - Returns: whether it is from before: once, and only if there are tests.
    package static func isNews(_ data: FilePath) throws -> Bool {
        let keys = try KeyStore(opening: data)
        let note = Array("{\"people\":true}\n".utf8)
        guard try keys.files.putIfAbsent(note, as: HostLayout.started) else { return false }
        guard try !keys.read().asksForKeys, try PeopleStore(keys: keys).read() == nil else { return false }
        let tests = try keys.files.names(in: HostLayout.tests).filter { HostLayout.testID(ofFile: $0) != nil }
        return try !tests.isEmpty && !tests.prefix(examined).contains { try namesPerson($0, keys.files) }
    }

    /// A program with people may have collected tests into the folder: then some of them name people.
    private static let examined = 200

    private static func namesPerson(_ name: String, _ files: any HostFiles) throws -> Bool {
        let path = HostLayout.tests.appending(name: name)
        guard let bytes = try files.bytes(of: path, maximumBytes: Int64(TestSubmission.maximumBytes)) else {
            return false
        }
        return (try? DocumentCoding.decode(TestRecord.self, from: bytes))?.person != nil
    }
}
