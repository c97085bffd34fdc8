import Model
import SystemPackage

/// The names in a folder of uploads, built and parsed here and nowhere else.
///
///     <uuid>.json     what is expected, and how much of it is synced
///     <uuid>.part     what came
struct UploadLayout: Sendable {
    let folder: FilePath

    private static let recordSuffix = ".json"
    private static let bytesSuffix = ".part"

    func record(_ id: TestID) -> FilePath { folder.appending(id.description + Self.recordSuffix) }
    func bytes(_ id: TestID) -> FilePath { folder.appending(id.description + Self.bytesSuffix) }

    /// The upload that a file of the folder belongs to.
    static func id(ofFile name: String) -> TestID? {
        for suffix in [recordSuffix, bytesSuffix] where name.hasSuffix(suffix) {
            return TestID(name.dropLast(suffix.count))
        }
        return nil
    }
}
