import Model
import SystemPackage

/// The names in a folder of uploads, built and parsed only here.
///
///     <uuid>.json     what is expected, and how much of it is synced
///     <uuid>.part     what came
///     <uuid>.<number>.whole   complete, out of reach of other connections, until it is moved
struct UploadLayout: Sendable {
    let folder: FilePath

    private static let recordSuffix = ".json"
    private static let bytesSuffix = ".part"
    private static let wholeSuffix = ".whole"

    func record(_ id: TestID) -> FilePath { folder.appending(name: id.description + Self.recordSuffix) }
    func bytes(_ id: TestID) -> FilePath { folder.appending(name: id.description + Self.bytesSuffix) }

    func whole(_ id: TestID, _ number: Int) -> FilePath {
        folder.appending(name: id.description + "." + String(number) + Self.wholeSuffix)
    }

    /// The id of the completed upload in a file of the folder.
    static func id(ofWhole name: String) -> TestID? {
        guard name.hasSuffix(wholeSuffix) else { return nil }
        return TestID(name.prefix { $0 != "." })
    }

    /// The id of the upload that a file of the folder belongs to.
    static func id(ofFile name: String) -> TestID? {
        for suffix in [recordSuffix, bytesSuffix] where name.hasSuffix(suffix) {
            return TestID(name.dropLast(suffix.count))
        }
        return nil
    }
}
